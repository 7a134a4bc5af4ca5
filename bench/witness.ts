import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../dev/servers/free-port.ts'
import { listening, startProcess, type Where } from './processes.ts'
import type { Counted } from './receiver.ts'
import type { Arrival, Behaviour, Seen } from './receivers.ts'
import type { Answer } from './steady.ts'
import { waitForCount } from './wait-for.ts'

const LOOK_EVERY_MS = 250
/** A poll finds work without a job within some seconds. After four times that, an event counts as lost. */
const LOST_AFTER_MS = 60_000

/** Receivers in their own process, which reports what arrived. */
export interface Witness {
  ports: number[]
  /** For WEBHOOK_ALLOWED_HOSTS. */
  allowedHosts: string
  urlOf(port: number): string
  behave(port: number, behaviour: Behaviour): Promise<void>
  seen(): Promise<Seen>
  counted(): Promise<Counted>
  forget(): Promise<void>
  end(): Promise<void>
}

export async function startWitness(where: Where, name: string, count: number): Promise<Witness> {
  const control = await freePort()
  const taken = new Set([control])
  while (taken.size <= count) taken.add(await freePort())
  const ports = [...taken].slice(1)
  const receivers = startProcess({ ...where, profile: false }, name, 'bench/receivers.ts', {
    CONTROL: String(control),
    PORTS: ports.join(','),
  })
  await listening(control)
  const ask = (method: string, path: string) => fetch(`http://127.0.0.1:${control}${path}`, { method })
  return {
    ports,
    allowedHosts: ports.map((port) => `127.0.0.1:${port}`).join(','),
    urlOf: (port) => `http://127.0.0.1:${port}/hooks`,
    behave: async (port, behaviour) => void (await ask('PUT', `/${port}/${behaviour}`)),
    seen: async () => (await (await ask('GET', '/')).json()) as Seen,
    counted: async () => (await (await ask('GET', '/count')).json()) as Counted,
    forget: async () => void (await ask('DELETE', '/')),
    end: () => receivers.end(),
  }
}

/**
 * The milliseconds from each answer of a create to the arrivals of the `each` first attempts that follow from it, in the order of the
 * answers. Waits for the last of them.
 * @throws {Error} when one never arrived, or arrived twice
 */
export async function waitsAfter(witness: Witness, answers: Answer[], each: number): Promise<number[]> {
  const giveUpAt = performance.now() + LOST_AFTER_MS
  for (;;) {
    const byReference = new Map<string, Arrival[]>(answers.map(({ reference }) => [reference, []]))
    for (const arrival of (await witness.seen()).arrivals) byReference.get(arrival[1])?.push(arrival)
    const missing = [...byReference.values()].reduce(
      (sum, some) => sum + Math.max(0, each - portsOf(some)),
      0,
    )
    if (missing === 0) return answers.flatMap((answer) => waitsOf(answer, byReference, each))
    if (performance.now() > giveUpAt)
      throw new Error(`${missing} of ${answers.length * each} first attempts never arrived`)
    await pause(LOOK_EVERY_MS)
  }
}

/**
 * Waits until that many deliveries have arrived, each once, and returns when the last one did, by `nowMs`.
 * @throws {Error} if one arrives twice, or none arrives for a minute
 */
export async function lastArrival(witness: Witness, deliveries: number): Promise<number> {
  await waitForCount('deliveries have arrived', deliveries, async () => (await witness.counted()).count)
  const { arrivals } = await witness.seen()
  if (new Set(arrivals.map(([, , deliveryId]) => deliveryId)).size < arrivals.length)
    throw new Error('A delivery arrived twice')
  return Math.max(...arrivals.map(([, , , at]) => at))
}

/** How many of these payments an event arrived for. @throws {Error} if one arrived twice, or an event of another payment */
export function countTold(arrivals: Arrival[], references: ReadonlySet<string>): number {
  const told = new Set(arrivals.map(([, reference]) => reference))
  if (told.size < arrivals.length) throw new Error('One was told twice')
  for (const reference of told) if (!references.has(reference)) throw new Error(`${reference} was told late`)
  return told.size
}

const portsOf = (arrivals: Arrival[]): number => new Set(arrivals.map(([port]) => port)).size

function waitsOf({ reference, answeredAt }: Answer, by: Map<string, Arrival[]>, each: number): number[] {
  const arrivals = by.get(reference) ?? []
  if (arrivals.length > each) throw new Error(`The event of ${reference} arrived more than once`)
  return arrivals.map(([, , , at]) => at - answeredAt)
}
