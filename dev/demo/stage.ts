import { randomUUID } from 'node:crypto'
import type { Arrival, Receiver } from './receiver.ts'
import { must, waitFor } from './wait-for.ts'
import type { Service } from './web-and-worker.ts'
import type { Subscribed, WebhookEvent } from './webhook-event.ts'

/** What every step of the show works with. */
export interface Stage {
  service: Service
  receiver: Receiver
  businessId: string
  /** The merchant's secret test key. */
  key: string
}

export type Genuine = Arrival & { event: WebhookEvent; check: { genuine: true } }

export interface Expected {
  event: Subscribed
  reference: string
  /** The intent's or the order's, as the webhook must tell it. */
  status: 'PENDING' | 'PAID' | 'REFUNDED' | 'CANCELLED' | 'PLACED'
  /** What the merchant is to answer it. */
  answered: 200 | 500
}

/** The headers of a write. The idempotency key is fresh: a retry of the same call would repeat it. */
export const writeHeaders = (key: string): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  'X-Idempotency-Key': randomUUID(),
})

/**
 * Waits for a webhook among what arrives after the first `after` arrivals.
 * @throws {Error} when it does not come or is not as SPEC 6.2 has it, or when anything comes whose signature is wrong
 */
export async function nextWebhook(
  { service, receiver }: Stage,
  after: number,
  expected: Expected,
): Promise<Genuine> {
  const { event: name, reference } = expected
  const what = `the webhook ${name} of ${reference} (the worker's log is ${service.worker.log})`
  const found = await waitFor(what, async () => {
    await service.mustRun()
    const late = receiver.arrivals.slice(after)
    for (const { check } of late) if (!check.genuine) throw new Error(`A webhook came and ${check.why}`)
    return late
      .filter(isGenuine)
      .find(({ event }) => event.event === name && event.data.reference_number === reference)
  })
  const { headers, event, handledBefore, answered } = found
  must(headers['content-type'] === 'application/json', `the Content-Type of ${name} is application/json`)
  must(headers['x-service-event'] === name, `the header X-Service-Event says ${name}`)
  must(event.sandbox, `${name} says that it is about test data`)
  must(event.data.status === expected.status, `${name} has status ${expected.status}`)
  must(!handledBefore, `the id of ${name} is new`)
  must(answered === expected.answered, `the merchant answered ${expected.answered} to ${name}`)
  return found
}

const isGenuine = (arrival: Arrival): arrival is Genuine => arrival.check.genuine
