// `npm run provider:check` (docs/operators/wallet-provider.md).
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs, promisify } from 'node:util'
import { checkProvider, type Finding, obligations } from './obligations.ts'
import { readScenario } from './scenario.ts'

const ids = obligations.map(({ id }) => id).join(', ')
const usage = `npm run provider:check -- --url URL --key KEY --scenario FILE [--restart CMD] [--only ID,…] [--json]
  --url URL        the provider's address, as in WALLET_PROVIDER_URL
  --key KEY        as in WALLET_PROVIDER_KEY, which is used without this option
  --scenario FILE  the wallets that lead to each outcome, as JSON
  --restart CMD    a shell command that restarts the provider
  --only ID,…      tests only these obligations
  --json           prints one JSON object a line

The scenario's format: docs/operators/wallet-provider.md, "Check your implementation".
Exit code: 0 if nothing is broken, 1 if an obligation is, 2 if the check could not run.
Obligations: ${ids}`

const shell = promisify(execFile)
const shellTimeoutMs = 120_000

const ended = (code: number | null | undefined): string =>
  code === null || code === undefined
    ? `it was stopped, at the latest after ${shellTimeoutMs / 1000} s`
    : `exit code ${code}`

async function balanceBy(command: string, phone: string): Promise<number> {
  const options = { env: { ...process.env, PHONE: phone }, timeout: shellTimeoutMs }
  const { stdout } = await shell('sh', ['-c', command], options).catch(({ stderr, code }) => {
    throw new Error(String(stderr ?? '').trim() || ended(code))
  })
  const text = stdout.trim()
  if (/^-?\d+$/.test(text)) return Number(text)
  throw new Error(`it must print an integer in centimes, and printed: ${text.slice(0, 200)}`)
}

/** Doesn't wait for output: a provider in the background may inherit it. */
async function restartBy(command: string): Promise<void> {
  const child = spawn('sh', ['-c', command], { stdio: 'ignore', timeout: shellTimeoutMs })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(ended(code))
}

function write({ id, title, rule, result, why, sent, came }: Finding): void {
  const says = result === 'not tested' ? 'not tested because ' : ''
  console.log(`${result.padEnd(10)}  ${id}: ${title}`)
  if (why !== null) console.log(`            ${says}${why}`)
  if (result !== 'broken') return
  if (sent !== null) console.log(`            sent: ${sent}\n            came: ${came}`)
  console.log(`            the page says: ${rule}`)
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      key: { type: 'string', default: process.env.WALLET_PROVIDER_KEY ?? '' },
      scenario: { type: 'string' },
      restart: { type: 'string' },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { url, key, scenario: path, restart, json } = values
  if (values.help) {
    console.log(usage)
    return 0
  }
  if (!url || !key || !path) throw new Error(usage)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error(`--url ${url} is not a URL`)
  const only = values.only.split(',').filter(Boolean)
  const wrong = only.find((id) => !obligations.some((each) => each.id === id))
  if (wrong !== undefined) throw new Error(`Unknown obligation ${wrong}. Known: ${ids}`)
  const scenario = readScenario(path)
  const { balance } = scenario
  const counts = { holds: 0, broken: 0, 'not tested': 0 }
  const hooks = {
    restart: restart ? () => restartBy(restart) : null,
    balanceOf: balance === undefined ? null : (phone: string) => balanceBy(balance, phone),
  }
  for await (const finding of checkProvider({ url, key }, scenario, hooks, only)) {
    counts[finding.result] += 1
    if (json) console.log(JSON.stringify(finding))
    else write(finding)
  }
  if (!json) {
    if (balance === undefined)
      console.log('\nWithout `balance` in the scenario, the kit saw only responses, and no money.')
    console.log(`\n${counts.holds} hold, ${counts.broken} broken, ${counts['not tested']} not tested`)
  }
  return counts.broken > 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
