import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../dev/servers/free-port.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { listening } from './processes.ts'
import type { Bench } from './rounds.ts'
import { actSteadily, startService } from './web-and-worker.ts'
import { startWitness } from './witness.ts'

const PER_SECOND = 100
const MERCHANTS = 20
const POLL_MS = 1000
/** The minimum within this window is the memory just after a garbage collection. */
const WINDOW_MS = 30_000
/** By then, a process has compiled its code and reached its size. */
const EARLY_SECONDS = 120

/** The megabytes of a process, early and at the end. */
export interface Memory {
  what: string
  early: { rss: number; heap: number }
  late: { rss: number; heap: number }
}

interface Look {
  at: number
  rss: number
  heap: number
}

/** Measures the memory of `web` and `worker` under load for some minutes. */
export async function measureMemory(bench: Bench): Promise<Memory[]> {
  const witness = await startWitness(bench.runtime, 'memory-endpoints', 1)
  const workerPort = await freePort()
  const service = await startService(bench, 'memory', {
    WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts,
    WORKER_PORT: String(workerPort),
  })
  await listening(workerPort)
  const merchants = await makeMerchants(service.mongodbUrl, service.secretKey, MERCHANTS, 'test')
  for (const merchant of merchants)
    await addEndpoint(service.webUrl, merchant, witness.urlOf(witness.ports[0] ?? 0), ['payment.created'])
  const seconds = bench.memoryMinutes * 60
  const streams = [{ perSecond: PER_SECOND, apiKeys: merchants.map(({ apiKey }) => apiKey) }]
  const startedAt = performance.now()
  const load = actSteadily(bench, service.webUrls, seconds, streams)
  const ended = load.then(
    () => true,
    () => true,
  )
  const processes = [
    { what: 'web', pid: service.webPid, origin: service.webUrl, looks: [] as Look[] },
    {
      what: 'worker',
      pid: service.worker.pid,
      origin: `http://127.0.0.1:${workerPort}`,
      looks: [] as Look[],
    },
  ]
  for (let isOver = false; !isOver; ) {
    for (const { pid, origin, looks } of processes)
      looks.push({ at: performance.now(), rss: rssOf(pid), heap: await heapOf(origin) })
    isOver = await Promise.race([ended, pause(POLL_MS, false)])
  }
  await load
  await service.end()
  await witness.end()
  const early = startedAt + Math.min(EARLY_SECONDS, seconds / 2) * 1000
  return processes.map(({ what, looks }) => ({
    what,
    early: minimum(looks, early),
    late: minimum(looks, startedAt + seconds * 1000),
  }))
}

/** The minimum of each figure in the half minute before an instant. */
function minimum(looks: Look[], end: number): Omit<Look, 'at'> {
  const window = looks.filter(({ at }) => at > end - WINDOW_MS && at <= end)
  return {
    rss: Math.min(...window.map(({ rss }) => rss)),
    heap: Math.min(...window.map(({ heap }) => heap)),
  }
}

/** The resident memory of a process in megabytes. */
const rssOf = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1000

/** The used JavaScript heap of a process in megabytes, from its metrics. */
async function heapOf(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text()
  return Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(metrics)?.[1]) / 1_000_000
}
