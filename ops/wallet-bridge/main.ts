// A wallet provider in front of another wallet's API (README.md).
import { once } from 'node:events'
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
  if (value.length < minLength) throw new Error(`Set ${name}, with at least ${minLength} characters`)
  return value
}

const journalPath = (): string => read('BRIDGE_JOURNAL')

async function start(): Promise<void> {
  const keys = [read('WALLET_PROVIDER_KEY', 32), process.env['WALLET_PROVIDER_KEY_PREVIOUS'] ?? '']
  const access = {
    url: read('WALLET_URL').replace(/\/$/, ''),
    clientId: read('WALLET_CLIENT_ID'),
    clientSecret: read('WALLET_CLIENT_SECRET'),
    timeoutMs: 60_000,
  }
  const journalKey = read('BRIDGE_JOURNAL_KEY', 32)
  lockJournal(journalPath())
  const journal = openJournal(journalPath())
  const log = (event: string, fields: object): void =>
    write({ at: new Date().toISOString(), event, ...fields })
  const payments = openPayments(journal, openWalletApi(access), journalKey, log)
  payments.resume()
  const respondWithinMs = Number(process.env['BRIDGE_RESPOND_MS'] ?? 8_000)
  const server = createBridgeServer({ journal, payments, keys: keys.filter(Boolean), respondWithinMs })
  server.listen(Number(process.env['BRIDGE_PORT'] ?? 3200), process.env['BRIDGE_HOST'] ?? '127.0.0.1')
  await once(server, 'listening')
  log('bridge.started', { address: server.address() })
}

function decide(key: string, wanted: 'succeeded' | 'failed'): void {
  const journal = openJournal(journalPath())
  const isSettled = journal.settle(key, wanted, wanted === 'failed' ? 'technical_error' : null, 'operator')
  const entry = journal.find(key)
  if (isSettled) write({ key, state: wanted, settledBy: 'operator' })
  else
    throw new Error(
      entry === null ? 'No such payment' : `Settled before: ${entry.state}, by the ${entry.settledBy}`,
    )
}

function listOpen(): void {
  for (const entry of openJournal(journalPath()).open()) {
    const { payer: _payer, request: _request, ...shown } = entry
    write(shown)
  }
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
  process.exitCode = 1
}
