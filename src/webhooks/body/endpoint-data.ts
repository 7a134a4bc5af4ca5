import type { Facts } from '../../outbox/facts.ts'

/** The endpoint that an event is about. No document is read for such an event, because its facts contain the rest. */
export interface EndpointSource {
  endpointId: string
}

/** The current format, which new endpoint events use. */
export const endpointFormat = 1

/**
 * The functions that return an endpoint event's `data` as JSON, by format number. A released format must never change.
 * To change what is sent, add a format with the next number.
 */
export const endpointFormats: Record<number, (source: EndpointSource, facts: Facts) => string> = {
  1: ({ endpointId }, { status, endpoint }) =>
    JSON.stringify({
      endpoint_id: endpointId,
      reference_number: endpointId,
      url: endpoint?.url,
      status,
      failing_since: endpoint?.failingSince,
      recovered_at: endpoint?.recoveredAt ?? null,
      last_error: endpoint?.lastError,
      last_response_status: endpoint?.lastStatus,
    }),
}
