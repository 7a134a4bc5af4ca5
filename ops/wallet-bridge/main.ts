// A wallet provider in front of another wallet's API (README.md).
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { lockJournal, openJournal } from './journal.ts'
import { openPayments } from './payments.ts'
import { createBridgeServer } from './server.ts'
import { openWalletApi } from './wallet-api.ts'

const usage = `node main.ts                                 starts the bridge
node main.ts open                            lists the payments without an outcome
node main.ts decide KEY succeeded|failed     settles one of them, for good`

const write = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

function read(name: string, minLength = 1): string {
  const value = process.env[name] ?? ''
  if (value.length < minLength) throw new Error(`Set ${name} (length: at least ${minLength})`)
  return value
}

function readNumber(name: string, usual: number, max: number): number {
  const value = Number(process.env[name] || usual)
  if (Number.isInteger(value) && value > 0 && value <= max) return value
  throw new Error(`Set ${name} to a whole number from 1 to ${max}`)
}

const journalPath = (): string => read('BRIDGE_JOURNAL')

async function start(): Promise<void> {
  const keys = [read('WALLET_PROVIDER_KEY', 32), process.env['WALLET_PROVIDER_KEY_PREVIOUS'] ?? '']
  const access = {
    url: read('WALLET_URL').replace(/\/$/, ''),
    clientId: read('WALLET_CLIENT_ID'),
    clientSecret: read('WALLET_CLIENT_SECRET'),
  }
  const respondWithinMs = readNumber('BRIDGE_RESPOND_MS', 8_000, 60_000)
  const port = readNumber('BRIDGE_PORT', 3_200, 65_535)
  const journalKey = read('BRIDGE_JOURNAL_KEY', 32)
  lockJournal(journalPath())
  const journal = openJournal(journalPath())
  const log = (event: string, fields: object): void =>
    write({ at: new Date().toISOString(), event, ...fields })
  const payments = openPayments(journal, openWalletApi(access), journalKey, log)
  payments.resume()
  const server = createBridgeServer({ journal, payments, log, keys: keys.filter(Boolean), respondWithinMs })
  server.listen(port, process.env['BRIDGE_HOST'] || '127.0.0.1')
  await once(server, 'listening')
  log('bridge.started', { address: server.address() })
}

function openExisting() {
  if (!existsSync(journalPath())) throw new Error(`There is no journal ${journalPath()}`)
  return openJournal(journalPath())
}

function decide(key: string, wanted: 'succeeded' | 'failed'): void {
  const journal = openExisting()
  const reason = wanted === 'failed' ? 'technical_error' : null
  if (journal.settle(key, wanted, reason, 'operator'))
    return write({ key, state: wanted, settledBy: 'operator' })
  const entry = journal.find(key)
  if (entry === null) throw new Error('No such payment')
  throw new Error(`Settled before: ${entry.state}, by the ${entry.settledBy}`)
}

function listOpen(): void {
  for (const { payer: _payer, request: _request, ...shown } of openExisting().open()) write(shown)
}

const [command = '', key = '', wanted, ...more] = process.argv.slice(2)
try {
  if (command === '') await start()
  else if (command === 'open') listOpen()
  else if (command !== 'decide' || key === '' || more.length > 0) throw new Error(usage)
  else if (wanted === 'succeeded' || wanted === 'failed') decide(key, wanted)
  else throw new Error(usage)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  // Payments that are followed would keep the process alive.
  process.exit(1)
}
