#!/usr/bin/env python3
"""Talks to a robot on a real XMPP server while connections are cut, and the server or the robot is killed.

  xmpp-cuts.py --robot .build/release/heybot --server prosody
  xmpp-cuts.py --robot .build/release/heybot --server ejabberd --management acks
  xmpp-cuts.py --robot .build/release/heybot --server prosody --management none
  xmpp-cuts.py --robot .build/release/heybot --server prosody --cut-every 0 --server-kills 0 --robot-kills 50

Each command must be answered exactly once. If the robot is killed, doubled answers are only counted.
"""
import argparse, asyncio, signal, sys

sys.dont_write_bytecode = True
import processes
from cutting_proxy import Proxy
from dialogue import PEOPLE, ROOM, Dialogue


async def run(options, folder):
    server = getattr(processes, options.server)(folder, PEOPLE, options.management)
    await server.start()
    proxy = await Proxy(server.port, 0, options.seed).start()
    robot = processes.Robot(options.robot, processes.made(folder, "robot"), processes.xmpp_settings(proxy.port, ROOM))
    robot.start()
    dialogue = Dialogue(server.port, proxy)
    try:
        await dialogue.enter()
        proxy.cut_every = options.cut_every
        kills = {(number + 1) * options.commands // (options.server_kills + 1) for number in range(options.server_kills)}
        ends = {(number + 1) * options.commands // (options.robot_kills + 1) for number in range(options.robot_kills)}
        for number in range(options.commands):
            dialogue.command(number)
            if number in kills:
                await dialogue.ada.writer.drain()
                await server.kill()
                await dialogue.ada.connect()
            if number in ends:
                await robot.end(signal.SIGKILL)
                robot.start()
            await dialogue.pause(options.interval, 40)
        proxy.cut_every = 0
        await dialogue.rest()
        print(f"{options.server}, stream management: {options.management}, {options.server_kills} kills of the "
              f"server, {options.robot_kills} of the robot, {robot.memory():.1f} MB; the session was resumed "
              f"{robot.logged('resumed the session')} times")
        return await dialogue.evaluate(may_double=options.robot_kills > 0)
    finally:
        await robot.end(signal.SIGINT)
        await server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", required=True, help="the robot's program")
    parser.add_argument("--server", choices=("prosody", "ejabberd"), default="prosody")
    parser.add_argument("--management", choices=("resumption", "acks", "none"), default="resumption",
                        help="the server's stream management: %(default)s")
    for name, number, text in (("commands", 2000, "number of commands"), ("cut-every", 20, "messages until a cut"),
                               ("server-kills", 10, "kills of the server"), ("robot-kills", 0, "kills of the robot"),
                               ("seed", 1, "seed of the cuts")):
        parser.add_argument(f"--{name}", type=int, default=number, help=f"{text}: %(default)s")
    parser.add_argument("--interval", type=float, default=0.05, help="seconds between commands: %(default)s")
    options = parser.parse_args()
    if (options.server, options.management) == ("prosody", "acks"):
        parser.error("Prosody has acknowledgements only with resumption")
    with processes.scratch() as folder:
        sys.exit(0 if asyncio.run(run(options, folder)) else 1)


if __name__ == "__main__":
    main()
