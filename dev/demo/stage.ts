import { randomUUID } from 'node:crypto'
import type { Arrival, EndpointServer } from './endpoint-server.ts'
import { must, waitFor } from './wait-for.ts'
import type { Service } from './web-and-worker.ts'
import type { Subscribed, WebhookEvent } from './webhook-event.ts'

/** The dependencies of every step of the demo. */
export interface Stage {
  service: Service
  endpointServer: EndpointServer
  businessId: string
  /** The merchant's secret test key. */
  key: string
}

export type Genuine = Arrival & { event: WebhookEvent; check: { genuine: true } }

export interface Expected {
  event: Subscribed
  reference: string
  /** The status of the intent or order in the webhook. */
  status: 'PENDING' | 'PAID' | 'REFUNDED' | 'CANCELLED' | 'PLACED'
  /** The expected response of the merchant. */
  respondedWith: 200 | 500
}

/** The headers of a write. The idempotency key is new. A retry of the same call would reuse it. */
export const writeHeaders = (key: string): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  'X-Idempotency-Key': randomUUID(),
})

/**
 * Waits for a webhook after the first `after` arrivals.
 * @throws {Error} if it does not arrive, if it does not match SPEC 6.2, or if any webhook has a wrong signature
 */
export async function nextWebhook(
  { service, endpointServer }: Stage,
  after: number,
  expected: Expected,
): Promise<Genuine> {
  const { event: name, reference } = expected
  const what = `the webhook ${name} of ${reference} (the worker's log is ${service.worker.log})`
  const found = await waitFor(what, async () => {
    await service.mustRun()
    const late = endpointServer.arrivals.slice(after)
    for (const { check } of late) if (!check.genuine) throw new Error(`A webhook arrived, but ${check.why}`)
    return late.filter(isGenuine).find(({ event }) => event.event === name && event.data.reference_number === reference)
  })
  const { headers, event, handledBefore, respondedWith } = found
  must(headers['content-type'] === 'application/json', `the Content-Type of ${name} is application/json`)
  must(headers['x-service-event'] === name, `the header X-Service-Event says ${name}`)
  must(event.sandbox, `${name} says that it is about test data`)
  must(event.data.status === expected.status, `${name} has status ${expected.status}`)
  must(!handledBefore, `the id of ${name} is new`)
  must(respondedWith === expected.respondedWith, `the merchant responded with ${expected.respondedWith} to ${name}`)
  return found
}

const isGenuine = (arrival: Arrival): arrival is Genuine => arrival.check.genuine
