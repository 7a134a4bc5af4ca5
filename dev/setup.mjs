// The entry of `npm test` and of `npm run` test:browser, faults, attack, demo, stack and bench. On a machine that has
// only Node.js, it installs the packages, MongoDB and Redis, and then runs the command. It imports no package.
import { fileURLToPath } from 'node:url'
import { endWithParent } from './end-with-parent.mjs'
import { needChromium } from './setup/chromium.mjs'
import { runCommand, stopWithSignals } from './setup/command.mjs'
import { installPackages } from './setup/packages.mjs'
import { getPhp } from './setup/php.mjs'
import { say } from './setup/say.mjs'
import { serversFor } from './setup/servers.mjs'

const OLDEST_NODE = [20, 19]

const commands = {
  // The first six kill, freeze and empty servers, so they use only their own.
  test: { node: ['dev/tests/run.ts', 'test'], ownServersOnly: true, staysUp: false, needs: getPhp },
  'test:full': {
    node: ['dev/tests/run.ts', 'full'],
    ownServersOnly: true,
    staysUp: false,
    needs: needChromium,
  },
  'test:load': { node: ['dev/tests/run.ts', 'load'], ownServersOnly: true, staysUp: false },
  faults: { node: ['test/faults/main.ts'], ownServersOnly: true, staysUp: false },
  attack: { node: ['test/attack/main.ts'], ownServersOnly: true, staysUp: false },
  bench: { node: ['bench/main.ts'], ownServersOnly: true, staysUp: false },
  demo: { node: ['dev/demo.ts'], ownServersOnly: false, staysUp: true },
  stack: { node: ['dev/stack.ts'], ownServersOnly: false, staysUp: true },
}

try {
  const [name, ...args] = process.argv.slice(2)
  const command = commands[name]
  if (!command) throw new Error(`Name a command: node dev/setup.mjs ${Object.keys(commands).join(' | ')}`)
  checkNode()
  process.chdir(fileURLToPath(new URL('..', import.meta.url)))
  endWithParent()
  stopWithSignals()
  await installPackages()
  await command.needs?.(args)
  runCommand([...command.node, ...args], await serversFor(command), command)
} catch (error) {
  say(error.message)
  process.exitCode = 1
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return
  throw new Error(`Node.js ${OLDEST_NODE.join('.')} or later is required. This is ${process.versions.node}`)
}
