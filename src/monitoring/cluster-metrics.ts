import cluster, { type Worker } from 'node:cluster'
import { type PrometheusContentType, Registry } from '@prometheus-io/client'
import { unavailable } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { coalesceRuns } from '../platform/share-runs.ts'
import { withTimeout } from '../platform/timeout.ts'

type MetricsOfChild = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Any child can be asked for the sum. The primary computes it. */
interface Messages {
  ready: null
  'sum-wanted': null
  sum: string
  'values-wanted': null
  values: MetricsOfChild
}
type Kind = keyof Messages
type Channel = Pick<Worker, 'on' | 'off'> & { send(message: object, ignore: () => void): unknown }

function send<K extends Kind>(to: Channel, kind: K, content: Messages[K]): void {
  // The other process may just have ended.
  to.send({ kind, content }, () => undefined)
}

export function onMessage<K extends Kind>(from: Channel, kind: K, act: (content: Messages[K]) => void) {
  const listener = (message: { kind?: unknown; content: Messages[K] }): void => {
    if (message.kind === kind) act(message.content)
  }
  from.on('message', listener)
  return () => from.off('message', listener)
}

/** Resolves to null if no response arrives in time. */
async function requestFrom<K extends Kind>(whom: Channel, wanted: Kind, kind: K, timeoutMs: number) {
  const { promise, resolve } = Promise.withResolvers<Messages[K]>()
  const stop = onMessage(whom, kind, resolve)
  send(whom, wanted, null)
  return withTimeout(promise, timeoutMs, () => null).finally(stop)
}

/** A child's own queries take up to 1.5 s. */
const childTimeoutMs = 2_500
const sumTimeoutMs = 4_000

/** To Prometheus, a drop in the sum of counters would look like a restart. */
const withoutGauges = (metrics: MetricsOfChild): MetricsOfChild =>
  metrics.filter(({ type }) => type !== 'gauge')

/** Runs in the primary. A child that ended keeps its last known counts. */
export function sumMetrics(own: Registry, log: Log): void {
  const latest = new Map<Worker, MetricsOfChild>()
  let ended = new Registry<PrometheusContentType>()

  async function read(child: Worker): Promise<void> {
    const values = await requestFrom(child, 'values-wanted', 'values', childTimeoutMs)
    if (child.isDead()) return
    latest.set(child, values ?? withoutGauges(latest.get(child) ?? []))
  }

  cluster.on('exit', (child) => {
    const counts = withoutGauges(latest.get(child) ?? [])
    latest.delete(child)
    ended = Registry.aggregate([ended.getMetricsAsArray(), counts])
  })
  const sum = coalesceRuns(async () => {
    const [ofPrimary] = await Promise.all([
      own.getMetricsAsJSON(),
      // A failed fork stays in this list.
      ...Object.values(cluster.workers ?? {}).map((child) => child?.isConnected() && read(child)),
    ])
    return Registry.aggregate([ofPrimary, ended.getMetricsAsArray(), ...latest.values()]).metrics()
  })
  cluster.on('fork', (child) => {
    onMessage(child, 'sum-wanted', () => {
      sum().then((text) => send(child, 'sum', text), logFailure(log))
    })
  })
}

/** The callers time out. */
const logFailure = (log: Log) => (err: unknown) => log.warn({ err }, 'metrics.not-summed')

/** Runs in a child. Returns what reads the sum over all children. */
export function joinSum(read: () => Promise<Registry>, log: Log): () => Promise<string> {
  const primary = cluster.worker as Channel
  const report = async () => send(primary, 'values', await (await read()).getMetricsAsJSON())
  onMessage(primary, 'values-wanted', () => void report().catch(logFailure(log)))
  return async () => {
    const sum = await requestFrom(primary, 'sum-wanted', 'sum', sumTimeoutMs)
    if (sum === null) throw unavailable()
    return sum
  }
}

export const reportReady = (): void => {
  if (cluster.worker !== undefined) send(cluster.worker as Channel, 'ready', null)
}
