import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'
import { type LedgerDraft, type LedgerEntry, linkLedgerEntry } from '../src/ledger/entry.ts'
import { newId, newReferenceNumber } from '../src/platform/ids.ts'
import { toUtcDay } from '../src/platform/time.ts'
import { commissionOf } from '../src/wallets/commission.ts'
import { alternate, type Benchmark } from './benchmark.ts'
import { order } from './calls.ts'
import type { Download, Downloaded } from './download.ts'
import { runProcess } from './processes.ts'
import { createSteadily, inProduction, responseMs, withService } from './setting.ts'
import { aloneLine, figureLine, spread, waitLines } from './table.ts'
import { type Waits, waitsOf } from './times.ts'

const PER_SECOND = 50
const POLL_MS = 100
const PERIOD_MS = 30 * 86_400_000
/** Each payment is two entries, so a batch is about 1 MB. */
const PAYMENTS_TOGETHER = 500
const commission = commissionOf(order.amount, { provider: 200, payer: 100, tof: 1_400, tte: 200 })

/** How long creates took on one side of a round, `web`'s peak memory, and the export's speed. */
type BesideExport = Waits & { mib: number; rowsPerSecond: number }

/** Times one merchant's creates, alternately beside an export of another merchant's payments of a month, and alone. */
export const exportPayments: Benchmark = {
  describe: ({ most, trafficSeconds }) =>
    `50 creates/s of one merchant beside the export of another's ${most} payments ÷ alone; one \`web\`, ${trafficSeconds} s in turns`,
  takesSeconds: ({ rounds, most, trafficSeconds }) =>
    20 + most / 5000 + rounds * (most / 15_000 + 2 * trafficSeconds),
  async measure(bench) {
    const wanted = { environment: inProduction, merchants: 2, mode: 'live', worker: false } as const
    const pairs = await withService(bench, 'export', wanted, async ({ service, merchants, database }) => {
      const { businessId = '', apiKey = '' } = merchants.at(0) ?? {}
      const creators = merchants.slice(1)
      const to = new Date(Date.now() - 60_000)
      const from = new Date(to.getTime() - PERIOD_MS)
      await fillLedger(database, businessId, bench.most, from, to)
      const { web } = service
      const create = async (seconds: number): Promise<BesideExport> => {
        const creating = createSteadily(bench, service, seconds, PER_SECOND, creators)
        const { result, mib } = await watched(web.pid, creating)
        return { ...waitsOf(responseMs(result)), mib, rowsPerSecond: 0 }
      }
      const download = async (): Promise<{ rowsPerSecond: number; mib: number }> => {
        const span = new URLSearchParams({ from: from.toISOString(), to: new Date().toISOString() })
        const input: Download = { url: `${web.origin}/api/v1/dev/exports/payments?${span}`, apiKey }
        const startedAt = performance.now()
        const { result, mib } = await watched(
          web.pid,
          runProcess<Downloaded>(bench.runtime, 'download', input),
        )
        if (result.lines < bench.most) throw new Error(`The export has only ${result.lines} lines`)
        return { rowsPerSecond: bench.most / ((performance.now() - startedAt) / 1000), mib }
      }
      const beside = async (): Promise<BesideExport> => {
        const downloading = download()
        await pause(1000)
        const [created, { rowsPerSecond, mib }] = await Promise.all([
          create(bench.trafficSeconds),
          downloading,
        ])
        return { ...created, rowsPerSecond, mib: Math.max(created.mib, mib) }
      }
      await create(5)
      return alternate(bench.rounds, beside, () => create(bench.trafficSeconds))
    })
    const growth = pairs.map(({ service, bare }) => service.mib - bare.mib)
    return [
      ...waitLines('export: the create', pairs, '≤ 1.5'),
      figureLine('  rows/s', pairs, ({ rowsPerSecond }) => rowsPerSecond),
      aloneLine('  growth of the memory of `web`, MiB', spread(growth, 0), '≤ 50'),
    ]
  },
}

async function watched<Result>(
  pid: number,
  running: Promise<Result>,
): Promise<{ result: Result; mib: number }> {
  let mib = 0
  const ended = running.then(
    () => true,
    () => true,
  )
  for (let isOver = false; !isOver; isOver = await Promise.race([ended, pause(POLL_MS, false)]))
    mib = Math.max(mib, memoryMiB(pid))
  return { result: await running, mib }
}

/** Resident memory. Only Linux has this file. */
const memoryMiB = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/**
 * Fills a merchant's ledger past the service: for each payment, spread evenly over the period, an entry and its fee,
 * and the closing markers. A million payments take a few minutes.
 */
async function fillLedger(
  database: mongo.Db,
  businessId: string,
  payments: number,
  from: Date,
  to: Date,
): Promise<void> {
  const collection = database.collection<LedgerEntry>('ledgerentries')
  const owner = { businessId, sandbox: false }
  let last: LedgerEntry | null = null
  // One batch is linked while another is written.
  let writing: Promise<unknown> = Promise.resolve()
  for (let first = 0; first < payments; first += PAYMENTS_TOGETHER) {
    const links: LedgerEntry[] = []
    for (let nth = first; nth < Math.min(payments, first + PAYMENTS_TOGETHER); nth += 1) {
      const paidAt = new Date(from.getTime() + (nth / payments) * (to.getTime() - from.getTime()))
      for (const draft of entriesOf(paidAt))
        links.push(...linkLedgerEntry(owner, links.at(-1) ?? last, draft, paidAt))
    }
    last = links.at(-1) ?? last
    await writing
    writing = collection.insertMany(links, { ordered: false, writeConcern: { w: 1, journal: false } })
  }
  await writing
}

function entriesOf(paidAt: Date): LedgerDraft[] {
  const _id = newId()
  const shared = {
    referenceNumber: newReferenceNumber(),
    merchantReference: null,
    occurredAt: paidAt,
    day: toUtcDay(paidAt),
  }
  return [
    { ...shared, _id, type: 'payment', amount: order.amount, payerPhone: '22 ** ** 45', commission },
    { ...shared, _id: `${_id}-fee`, type: 'fee', amount: -commission.providerTtc },
  ]
}
