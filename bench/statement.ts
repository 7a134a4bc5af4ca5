import { randomBytes } from 'node:crypto'
import { dayBefore, dayOf } from '../src/ledger/entry.ts'
import { withDatabase } from './copies.ts'
import { fillLedger } from './ledger-copies.ts'
import { type Merchant, makeMerchants } from './merchants.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { sendCalls } from './send-calls.ts'
import { startWeb } from './web.ts'

/** About the load of one merchant's server and of one or two people. */
const CONNECTIONS = 2
const FEW = 1000
const dayMs = 86_400_000

/** The p95 of reads, each of a long ledger and of a short one. */
export interface StatementTimes {
  closed: Pair<number>[]
  open: Pair<number>[]
  balance: Pair<number>[]
}

/**
 * Reads the statements of a day with many payments and the balance after many entries, alternately with those of a
 * merchant who has few.
 */
export const measureStatement = (bench: Bench): Promise<StatementTimes> =>
  withDatabase(bench.mongodbUrl('statement'), async (database) => {
    const mongodbUrl = bench.mongodbUrl('statement')
    const secretKey = randomBytes(32)
    const [few, many, most] = await makeMerchants(mongodbUrl, secretKey, 3, 'live')
    if (few === undefined || many === undefined || most === undefined) throw new Error('No merchant was created')
    const now = new Date()
    const today = new Date(dayOf(now))
    const yesterday = new Date(dayBefore(dayOf(now)))
    const twoDays = (payments: number) => [
      { payments, from: yesterday, to: today },
      { payments, from: today, to: now },
    ]
    await fillLedger(database, few.businessId, twoDays(FEW))
    await fillLedger(database, many.businessId, twoDays(bench.most / 10))
    // Each payment is two entries.
    const month = { payments: bench.most / 2, from: new Date(today.getTime() - 30 * dayMs), to: now }
    await fillLedger(database, most.businessId, [month])
    const web = await startWeb(bench, { name: 'statement-web', mongodbUrl, secretKey })
    const read =
      ({ apiKey }: Merchant, path: string) =>
      async (): Promise<number> => {
        const calls = [{ method: 'GET' as const, path: `/api/v1/dev/${path}`, apiKey }]
        const options = {
          origin: web.origin,
          connections: CONNECTIONS,
          seconds: bench.seconds,
          eachOnce: false,
        }
        return (await sendCalls(bench.runtime, { ...options, calls })).p95
      }
    const compare = async (path: string, large: Merchant): Promise<Pair<number>[]> => {
      // The first round is a warm-up.
      const pairs = await alternate(bench.rounds + 1, read(large, path), read(few, path))
      return pairs.slice(1)
    }
    const closed = await compare(`statements/${dayOf(yesterday)}`, many)
    const open = await compare(`statements/${dayOf(today)}`, many)
    const balance = await compare('balance', most)
    await web.end()
    return { closed, open, balance }
  })
