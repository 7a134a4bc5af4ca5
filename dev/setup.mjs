// The entry of every npm script. It runs on any Node.js from 20.19 on and imports no package: it finds or fetches
// Node.js 24, installs the packages, finds or installs MongoDB and Redis if the command needs them, and then runs the
// command with Node.js 24.
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { endWithParent } from './end-with-parent.mjs'
import { runSteps, stopWithSignals } from './setup/command.mjs'
import { isWanted, needNode, putFirstOnPath } from './setup/node.mjs'
import { installPackages } from './setup/packages.mjs'
import { say } from './setup/run.mjs'
import { needTool } from './setup/tools.mjs'

const OLDEST_NODE = [20, 19]

const tsc = (...args) => ['node_modules/@typescript/native/bin/tsc', '--singleThreaded', ...args]
const biome = (...args) => ['node_modules/@biomejs/biome/bin/biome', ...args]
const sbom = ['dev/write-sbom.mjs']
const checkApi = ['dev/compatibility.ts']
/** What tests in these folders need, unless the arguments name only other tests. */
const forTests = (folders, need) => async (args) => {
  const values = { grep: { type: 'string' }, workers: { type: 'string' } }
  const { positionals } = parseArgs({ args, options: values, allowPositionals: true, strict: false })
  const isNamed = (folder) => positionals.some((name) => name.includes(folder) || folder.includes(name))
  if (positionals.length === 0 || folders.some(isNamed)) await need()
}
// Without PHP, the tests skip the PHP programs of docs/merchants, and list them.
const needPhp = () => needTool('PHP').catch(({ message }) => say(message))
const php = forTests(['test/docs', 'test/clients'], needPhp)
const chromium = forTests(['test/browser'], () => needTool('Chromium'))

/**
 * Each command's steps, which run until one fails. The last one gets the arguments. Commands with `own` servers kill,
 * freeze and empty them, so they never use those at MONGODB_URL and REDIS_URL. They count as failed if they are
 * stopped.
 */
const commands = {
  test: { steps: [['dev/tests/run.ts', 'test']], servers: 'own', needs: php },
  'test:full': { steps: [['dev/tests/run.ts', 'full']], servers: 'own', needs: chromium },
  'test:load': { steps: [['dev/tests/run.ts', 'load']], servers: 'own' },
  examples: {
    steps: [
      () => void (process.env.RECORD_EXAMPLES = '1'),
      ['dev/tests/run.ts', 'test', 'test/api/examples'],
    ],
    servers: 'own',
  },
  faults: { steps: [['dev/tests/run.ts', 'faults'], ['test/faults/main.ts']], servers: 'own' },
  attack: { steps: [['dev/tests/run.ts', 'attack'], ['test/attack/main.ts']], servers: 'own' },
  mutate: { steps: [['dev/mutate/main.ts']] },
  bench: { steps: [['bench/main.ts']], servers: 'own' },
  built: { steps: [['dev/run-built.ts']], servers: 'own' },
  demo: { steps: [['dev/demo.ts']], servers: 'any' },
  stack: { steps: [['dev/stack.ts']], servers: 'any' },
  web: { steps: [['--env-file=.env', 'src/server.ts']] },
  worker: { steps: [['--env-file=.env', 'workers/main.ts']] },
  admin: { steps: [['src/admin/main.ts']] },
  listen: { steps: [['cli/main.ts', 'listen']] },
  trigger: { steps: [['cli/main.ts', 'trigger']] },
  backup: { steps: [['ops/backup/main.ts', 'backup']] },
  restore: { steps: [['ops/backup/main.ts', 'restore']] },
  drill: { steps: [['ops/backup/main.ts', 'drill']] },
  'provider:check': { steps: [['ops/provider-check/main.ts']] },
  build: {
    steps: [
      () => rmSync('dist', { recursive: true, force: true }),
      tsc(),
      () => {
        // Stylesheets and browser scripts. The folder also holds what the compiler reads.
        cpSync('src', 'dist/src', { recursive: true, filter: (name) => !/\.(ts|json)$/.test(name) })
        for (const served of ['examples', 'released', 'payments.postman_collection.json'])
          cpSync(`clients/${served}`, `dist/clients/${served}`, { recursive: true })
      },
      ['docs/site/render.ts', 'dist/docs/guide.json'],
      // Only the build needs the Markdown library.
      () => rmSync('dist/docs/site', { recursive: true }),
      sbom,
    ],
  },
  sbom: { steps: [sbom] },
  // The tests' configuration includes the service, which `build` checks by itself.
  types: { steps: [tsc('-p', 'test')] },
  lint: {
    steps: [
      biome('ci', '--error-on-warnings', '.'),
      ['node_modules/oxlint/bin/oxlint', '--type-aware', '--max-warnings', '0'],
      ['node_modules/knip/bin/knip.js'],
      ['dev/lint-openapi.ts'],
      checkApi,
    ],
  },
  format: { steps: [biome('check', '--write', '.')] },
  'api:check': { steps: [checkApi] },
  'api:accept': { steps: [[...checkApi, '--accept']] },
  figures: { steps: [['dev/figures.ts']] },
  alerts: { steps: [['dev/check-alerts.ts']] },
  tables: { steps: [['dev/fill-tables.ts']] },
  client: { steps: [['clients/generate/generate.ts']] },
}

try {
  const [name, ...args] = process.argv.slice(2)
  const command = commands[name]
  if (!command) throw new Error(`Name a command: node dev/setup.mjs ${Object.keys(commands).join(' | ')}`)
  refuseOlderNode()
  process.chdir(fileURLToPath(new URL('..', import.meta.url)))
  endWithParent()
  stopWithSignals()
  const node = await needNode()
  putFirstOnPath(node)
  // Some packages that find or install the servers need Node.js 24 too.
  if (command.servers && !isWanted(process.versions.node))
    await runSteps([['dev/setup.mjs', name]], args, { node, failsIfStopped: false })
  else {
    await installPackages(node)
    await command.needs?.(args)
    if (command.servers) {
      const { findServers } = await import('./setup/servers.mjs')
      await findServers({ ownServersOnly: command.servers === 'own' })
    }
    await runSteps(command.steps, args, { node, failsIfStopped: command.servers === 'own' })
  }
} catch (error) {
  say(error.message)
  process.exitCode = 1
}

function refuseOlderNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return
  throw new Error(`Node.js ${OLDEST_NODE.join('.')} or later is required. This is ${process.versions.node}`)
}
