#!/usr/bin/env python3
"""Restarts a robot again and again under a conversation on a real XMPP server.

  xmpp-restarts.py --robot .build/release/heybot --server ejabberd

The robot is stopped with SIGTERM, and started again. The room must see no departure, and each command must be answered once.
"""
import argparse, asyncio, signal, sys

sys.dont_write_bytecode = True
import processes
from cutting_proxy import Proxy
from dialogue import PEOPLE, ROOM, Dialogue


async def run(options, folder):
    server = getattr(processes, options.server)(folder, PEOPLE)
    await server.start()
    proxy = await Proxy(server.port).start()
    robot = processes.Robot(options.robot, processes.made(folder, "robot"), processes.xmpp_settings(proxy.port, ROOM))
    robot.start()
    dialogue = Dialogue(server.port, proxy)
    numbers = iter(range(1_000_000))

    async def talk():
        while True:
            dialogue.command(next(numbers))
            await dialogue.pause(options.interval, 100)

    talking = None
    try:
        await dialogue.enter()
        talking = asyncio.create_task(talk())
        for _ in range(options.restarts):
            await asyncio.sleep(options.pause)
            await robot.end()
            await asyncio.sleep(options.absence)
            robot.start()
        await asyncio.sleep(options.pause)
        talking.cancel()
        await dialogue.rest()
        print(f"{options.server}, {options.restarts} restarts; the session was resumed "
              f"{robot.logged('resumed the session')} times")
        return await dialogue.evaluate() and not dialogue.departures
    finally:
        talking and talking.cancel()
        await robot.end(signal.SIGINT)
        await server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", required=True, help="the robot's program")
    parser.add_argument("--server", choices=("prosody", "ejabberd"), default="prosody")
    parser.add_argument("--restarts", type=int, default=50, help="number of restarts: %(default)s")
    for name, seconds, text in (("interval", 0.05, "between commands"), ("pause", 1.5, "between restarts"),
                                ("absence", 0.3, "from the end of the robot to its start")):
        parser.add_argument(f"--{name}", type=float, default=seconds, help=f"seconds {text}: %(default)s")
    options = parser.parse_args()
    with processes.scratch() as folder:
        sys.exit(0 if asyncio.run(run(options, folder)) else 1)


if __name__ == "__main__":
    main()
