import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { withDatabase } from './copies.ts'
import type { Download, Downloaded } from './download.ts'
import { fillLedger } from './ledger-copies.ts'
import { makeMerchants } from './merchants.ts'
import { percentile } from './percentile.ts'
import { memoryMiB } from './process-figures.ts'
import { runProcess } from './processes.ts'
import { alternate, type Bench, type Pair } from './rounds.ts'
import { startWeb } from './web.ts'
import { actSteadily, responseMs } from './web-and-worker.ts'

const PER_SECOND = 50
const WARM_UP_SECONDS = 5
const POLL_MS = 100
const DAYS = 30
const dayMs = 86_400_000

/** The durations of the creates on one side of a round, the most memory of `web`, and the speed of the export. */
export interface BesideExport {
  p50: number
  p99: number
  mib: number
  rowsPerSecond: number
}

/**
 * Creates at a steady rate for a live merchant: alternately beside the export of another merchant's payments of a month
 * (`service`), and alone (`bare`).
 */
export async function measureExport(bench: Bench): Promise<Pair<BesideExport>[]> {
  const mongodbUrl = bench.mongodbUrl('export')
  const secretKey = randomBytes(32)
  const [exporter, creator] = await makeMerchants(mongodbUrl, secretKey, 2, 'live')
  if (exporter === undefined || creator === undefined) throw new Error('No merchant was created')
  const to = new Date(Date.now() - 60_000)
  const from = new Date(to.getTime() - DAYS * dayMs)
  await withDatabase(mongodbUrl, (database) =>
    fillLedger(database, exporter.businessId, [{ payments: bench.most, from, to }]),
  )
  const web = await startWeb(bench, { name: 'export-web', mongodbUrl, secretKey })
  const create = async (seconds: number): Promise<BesideExport> => {
    const streams = [{ perSecond: PER_SECOND, apiKeys: [creator.apiKey] }]
    const { result, mib } = await watched(web.pid, actSteadily(bench, [web.origin], seconds, streams))
    const waits = responseMs(result)
    return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99), mib, rowsPerSecond: 0 }
  }
  const download = async (): Promise<{ rowsPerSecond: number; mib: number }> => {
    const span = new URLSearchParams({ from: from.toISOString(), to: new Date().toISOString() })
    const url = `${web.origin}/api/v1/dev/exports/payments?${span}`
    const input: Download = { url, apiKey: exporter.apiKey }
    const startedAt = performance.now()
    const running = runProcess<Downloaded>(bench.runtime, 'download', 'bench/download.ts', [JSON.stringify(input)])
    const { result, mib } = await watched(web.pid, running)
    if (result.lines < bench.most) throw new Error(`The export has only ${result.lines} lines`)
    return { rowsPerSecond: bench.most / ((performance.now() - startedAt) / 1000), mib }
  }
  const beside = async (): Promise<BesideExport> => {
    const downloading = download()
    await pause(1000)
    const [created, { rowsPerSecond, mib }] = await Promise.all([create(bench.trafficSeconds), downloading])
    return { ...created, rowsPerSecond, mib: Math.max(created.mib, mib) }
  }
  await create(WARM_UP_SECONDS)
  const pairs = await alternate(bench.rounds, beside, () => create(bench.trafficSeconds))
  await web.end()
  return pairs
}

/** Waits for a promise, and returns the most resident memory of a process in this time. */
async function watched<Result>(pid: number, running: Promise<Result>): Promise<{ result: Result; mib: number }> {
  let mib = 0
  const ended = running.then(
    () => true,
    () => true,
  )
  for (let isOver = false; !isOver; isOver = await Promise.race([ended, pause(POLL_MS, false)]))
    mib = Math.max(mib, memoryMiB(pid))
  return { result: await running, mib }
}
