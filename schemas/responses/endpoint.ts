import { events } from '../events.ts'
import {
  count,
  deletedBy,
  described,
  eventName,
  id,
  instant,
  instantOrNull,
  objectOf,
  orNull,
  sandbox,
  shaped,
  url,
} from './fields.ts'
import { pageOf } from './page.ts'

/** The stages at which an attempt can fail, as reported to merchants (docs/merchants/webhooks.md). */
export const stages = [
  'status',
  'dns',
  'address',
  'connect',
  'refused',
  'tls',
  'timeout',
  'closed',
  'protocol',
  'too_large',
] as const
export type Stage = (typeof stages)[number]
export const stageOrNull = { type: ['string', 'null'], enum: [...stages, null] }
export const statusOrNull = described("The HTTP status of your endpoint's response. Null if there was no response.", {
  type: ['integer', 'null'],
  minimum: 100,
  maximum: 999,
})

export const endpointHealth = objectOf({
  lastSuccessAt: instantOrNull,
  lastFailureAt: instantOrNull,
  failuresInRow: described('The number of failed attempts since the last success.', count),
  lastError: described('The stage at which the last failed attempt failed. Null if none has failed.', stageOrNull),
})

export const lastDayOfEndpoint = objectOf({
  attempts: described(
    'The number of attempts that ended in the current hour and in the 23 hours before it. Tests are not counted. The figures may lag by a few seconds.',
    count,
  ),
  succeeded: described('How many of these attempts succeeded.', count),
  successRate: described('`succeeded` divided by `attempts`. Null if there were no attempts.', {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
  }),
  lastError: described(
    'The last failed attempt. Null if none failed.',
    orNull(
      objectOf({
        at: described('When the attempt ended.', instant),
        error: described('The stage at which the attempt failed.', stageOrNull),
        responseStatus: statusOrNull,
      }),
    ),
  ),
})

const fields = {
  id,
  url,
  events: described('The events that the endpoint receives.', {
    type: 'array',
    maxItems: Object.keys(events).length,
    items: eventName,
  }),
  active: described('Whether the service sends events to the endpoint.', { type: 'boolean' }),
  sandbox: described('Whether a test key created the endpoint. It then gets only test events.', sandbox),
  createdAt: instant,
  health: endpointHealth,
}

/** An endpoint as the API returns it (SPEC 2.2). */
export const endpoint = objectOf(fields)

/** An endpoint as it appears in the list. */
export const listedEndpoint = objectOf({
  ...fields,
  last24Hours: lastDayOfEndpoint,
})

/** The response to a request that creates an endpoint or rotates its secret. */
export const endpointWithSecret = objectOf({
  ...fields,
  secret: described(
    'The secret that signs the deliveries to this endpoint. Store it: no later response contains it.',
    shaped('^[0-9a-f]{64}$', 64),
  ),
  standardSecret: described(
    'The same secret in the form that the libraries of Standard Webhooks expect.',
    shaped('^whsec_[A-Za-z0-9+/]{43}=$', 50),
  ),
})

export const deletedEndpoint = deletedBy('id')
export const endpointPage = pageOf(listedEndpoint)
