import { eventBody, exactly, instant } from './event-body.ts'
import type { EventName } from './events.ts'
import { stages, statusOrNull } from './responses/endpoint.ts'
import { described, id, text } from './responses/fields.ts'

/** The names of the events about webhook endpoints. */
export type EndpointEventName = Extract<EventName, `endpoint.${string}`>

const endpoint = (status: string, recoveredAt: object) =>
  exactly({
    endpoint_id: described('The endpoint that the event is about.', id),
    reference_number: described('The same id as `endpoint_id`.', id),
    url: described(
      'The scheme and host of the URL, at most 4 characters of its path, and a fingerprint. Your list of endpoints shows it whole.',
      text(300),
    ),
    status: { const: status },
    failing_since: described('When the first of the failed attempts ended.', instant),
    recovered_at: recoveredAt,
    last_error: described('The stage at which the last failed attempt failed.', {
      type: 'string',
      enum: stages,
    }),
    last_response_status: statusOrNull,
  })

/** The schemas of the bodies of endpoint events. The service sends only the fields in these schemas. */
export const endpointEvents: Record<EndpointEventName, object> = {
  'endpoint.failing': eventBody('endpoint.failing', {
    oneOf: [
      endpoint('FAILING', { type: 'null' }),
      endpoint('RECOVERED', described('When an attempt succeeded again.', instant)),
    ],
  }),
}
