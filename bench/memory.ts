import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../dev/servers/free-port.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { listening } from './processes.ts'
import type { Bench } from './rounds.ts'
import { createPath, createSteadily, startService } from './web-and-worker.ts'
import { startWitness } from './witness.ts'

const PER_SECOND = 100
const MERCHANTS = 20
const LOOK_EVERY_MS = 1000
/** The least within it is what is left when garbage has just been collected. */
const WINDOW_MS = 30_000
/** By then a process has compiled what it runs and grown to its size. */
const EARLY_SECONDS = 120

/** Of a process: megabytes early and at the end. */
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

/** What `web` and `worker` take while they are under load for some minutes. */
export async function measureMemory(bench: Bench): Promise<Memory[]> {
  const witness = await startWitness(bench.where, 'memory-receivers', 1)
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
  const startAt = performance.now()
  const load = createSteadily(bench.where, { origin: service.webUrl, path: createPath, seconds, streams })
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
  for (let over = false; !over; ) {
    for (const { pid, origin, looks } of processes)
      looks.push({ at: performance.now(), rss: rssOf(pid), heap: await heapOf(origin) })
    over = await Promise.race([ended, pause(LOOK_EVERY_MS, false)])
  }
  await load
  await service.end()
  await witness.end()
  const early = startAt + Math.min(EARLY_SECONDS, seconds / 2) * 1000
  return processes.map(({ what, looks }) => ({
    what,
    early: least(looks, early),
    late: least(looks, startAt + seconds * 1000),
  }))
}

/** The least of each in the half minute before an instant. */
function least(looks: Look[], end: number): Omit<Look, 'at'> {
  const window = looks.filter(({ at }) => at > end - WINDOW_MS && at <= end)
  return {
    rss: Math.min(...window.map(({ rss }) => rss)),
    heap: Math.min(...window.map(({ heap }) => heap)),
  }
}

/** Megabytes that the process has in the machine's memory. */
const rssOf = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1000

/** Megabytes of what JavaScript holds, as the process tells itself. */
async function heapOf(origin: string): Promise<number> {
  const told = await (await fetch(`${origin}/metrics`)).text()
  return Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(told)?.[1]) / 1_000_000
}
