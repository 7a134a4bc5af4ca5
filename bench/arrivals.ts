import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../dev/servers/free-port.ts'
import type { Arrival, Behaviour, Counted, Seen } from './endpoint-servers.ts'
import { listening, type Runtime, startProcess } from './processes.ts'
import type { Sent } from './steady.ts'
import { waitForCount } from './wait-for.ts'

const POLL_MS = 250
/** After this, an event counts as lost. A poll finds work without a job within a few seconds. */
const LOST_AFTER_MS = 60_000

export interface Arrivals {
  ports: number[]
  urls: string[]
  allowedHosts: string
  behave(port: number, behaviour: Behaviour): Promise<void>
  seen(): Promise<Seen>
  counted(): Promise<Counted>
  forget(): Promise<void>
  end(): Promise<void>
}

export async function startArrivals(runtime: Runtime, name: string, count: number): Promise<Arrivals> {
  const control = await freePort()
  const taken = new Set([control])
  while (taken.size <= count) taken.add(await freePort())
  const ports = [...taken].slice(1)
  const servers = startProcess({ ...runtime, profile: false }, name, 'bench/endpoint-servers.ts', {
    CONTROL: String(control),
    PORTS: ports.join(','),
  })
  await listening(control)
  const request = (method: string, path: string) => fetch(`http://127.0.0.1:${control}${path}`, { method })
  return {
    ports,
    urls: ports.map((port) => `http://127.0.0.1:${port}/hooks`),
    allowedHosts: ports.map((port) => `127.0.0.1:${port}`).join(','),
    behave: async (port, behaviour) => void (await request('PUT', `/${port}/${behaviour}`)),
    seen: async () => (await (await request('GET', '/')).json()) as Seen,
    counted: async () => (await (await request('GET', '/count')).json()) as Counted,
    forget: async () => void (await request('DELETE', '/')),
    end: () => servers.end(),
  }
}

/**
 * Waits for `each` first attempts of every create, and then forgets all arrivals. Returns the milliseconds from the
 * response of a create to each arrival, in the order of the creates.
 * @throws {Error} if an attempt does not arrive, or arrives twice
 */
export async function waitsAfter(arrivals: Arrivals, creates: Sent[], each: number): Promise<number[]> {
  const deadline = performance.now() + LOST_AFTER_MS
  for (;;) {
    const byReference = new Map<string, Arrival[]>(creates.map(({ reference }) => [reference, []]))
    for (const arrival of (await arrivals.seen()).arrivals) byReference.get(arrival[1])?.push(arrival)
    const missing = [...byReference.values()].reduce(
      (sum, seen) => sum + Math.max(0, each - portsOf(seen)),
      0,
    )
    if (missing === 0) {
      await arrivals.forget()
      return creates.flatMap((create) => waitsOfCreate(create, byReference, each))
    }
    if (performance.now() > deadline)
      throw new Error(`${missing} of ${creates.length * each} first attempts never arrived`)
    await pause(POLL_MS)
  }
}

/**
 * Waits until `deliveries` deliveries have arrived, each once.
 * @throws {Error} if one arrives twice, or none arrives for a minute
 */
export async function allArrived(arrivals: Arrivals, deliveries: number): Promise<Arrival[]> {
  await waitForCount('deliveries have arrived', deliveries, async () => (await arrivals.counted()).count)
  const { arrivals: all } = await arrivals.seen()
  if (new Set(all.map(([, , deliveryId]) => deliveryId)).size < all.length)
    throw new Error('A delivery arrived twice')
  return all
}

/**
 * Counts the payments whose event has arrived.
 * @throws {Error} if an event arrived twice, or belongs to another payment
 */
export function countDelivered(arrivals: Arrival[], references: ReadonlySet<string>): number {
  const delivered = new Set(arrivals.map(([, reference]) => reference))
  if (delivered.size < arrivals.length) throw new Error('An event arrived twice')
  for (const reference of delivered)
    if (!references.has(reference)) throw new Error(`${reference} was delivered late`)
  return delivered.size
}

const portsOf = (arrivals: Arrival[]): number => new Set(arrivals.map(([port]) => port)).size

function waitsOfCreate({ reference, respondedAt }: Sent, by: Map<string, Arrival[]>, each: number): number[] {
  const arrivals = by.get(reference) ?? []
  if (arrivals.length > each) throw new Error(`The event of ${reference} arrived more than once`)
  return arrivals.map(([, , , at]) => at - respondedAt)
}
