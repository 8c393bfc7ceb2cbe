// Description:
//   A part of the web server with a password: middleware, a router, and static files.
//
// Configuration:
//   DASHBOARD_USER, DASHBOARD_PASSWORD

const express = require('express')

module.exports = (robot) => {
  const { DASHBOARD_USER, DASHBOARD_PASSWORD = 'none' } = process.env
  const dashboard = express.Router()
  dashboard.use(express.basicAuth(DASHBOARD_USER, DASHBOARD_PASSWORD))
  dashboard.get('/state', (req, res) => res.json({ user: req.user, listeners: robot.listeners.length }))
  dashboard.use('/files', express.static(__dirname))
  robot.router.use('/dashboard', dashboard)
}
