import { type CreateEndpointBody, createEndpointBody } from '../../../schemas/create-endpoint.ts'
import type { EventName } from '../../../schemas/events.ts'
import { publishAudit } from '../../audit/publish.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { type DoneBefore, doneBefore, type Effect } from '../../idempotency/effect.ts'
import type { Recall } from '../../idempotency/recall.ts'
import { storedUrl } from '../sender/url.ts'
import { auditedFields, endpointLine } from './audit.ts'
import { type Endpoint, endpointSlots, endpoints, standing, untried } from './endpoint.ts'
import { permitEvents } from './event-permission.ts'
import { presentEndpoint } from './present.ts'
import { newSecret, presentSecret, secretField } from './signing-secrets.ts'

export type EndpointRequest = Pick<Endpoint, 'url' | 'events'>

/**
 * Validates the body of a create request (SPEC 4.8, rules 2 to 4). The URL must be public and use https, the events
 * must exist, and the caller's scopes must allow these events.
 */
export function parseEndpoint(deps: Pick<Deps, 'validate'>, caller: Caller, body: unknown): EndpointRequest {
  const input = deps.validate<CreateEndpointBody>(createEndpointBody, body)
  const wanted = [...new Set(input.events as EventName[])]
  permitEvents(caller, wanted, 'events')
  return { url: storedUrl(input.url), events: wanted }
}

/**
 * Creates an endpoint in the first of the business's five slots that is free. Returns the data described in SPEC 4.8,
 * including the secret. After that, the only operation that returns a secret is a rotation, which returns a new one.
 * Throws MAX_ENDPOINTS_REACHED if no slot is free.
 */
export async function createEndpoint(
  deps: Deps,
  caller: Caller,
  request: EndpointRequest,
  effect: Effect,
): Promise<Record<string, unknown> | DoneBefore> {
  const secret = newSecret()
  const now = deps.now()
  const endpoint = {
    _id: effect.id,
    businessId: caller.businessId,
    sandbox: caller.sandbox,
    ...request,
    secret: deps.secrets.seal(secret, secretField(effect.id)),
    secretMadeBy: effect.id,
    previousSecrets: [],
    active: true,
    deletedAt: null,
    health: untried,
    attemptHours: {},
    reportedFailure: null,
    outbox: [],
    effects: [],
    createdAt: now,
    updatedAt: now,
    unaudited: [
      endpointLine(caller, {
        at: now,
        act: 'endpoint.created',
        subject: effect.id,
        after: auditedFields(deps, { ...request, active: true }),
      }),
    ],
  }
  const data = { ...presentEndpoint(endpoint), ...presentSecret(secret) }
  const sealedResponse = effect.seal(data)
  for (const slot of endpointSlots) {
    const insertion = await deps.batchers.insertEndpoint({ ...endpoint, slot, sealedResponse }, effect.deadlineAt)
    if (insertion.inserted) {
      await publishAudit(deps, deps.Endpoint, [endpoint])
      return data
    }
    if (insertion.index === '_id_') return doneBefore
  }
  const count = (sandbox: boolean) =>
    deps.Endpoint.countDocuments({ businessId: caller.businessId, ...standing, sandbox })
  throw refuse('MAX_ENDPOINTS_REACHED', { details: { live: await count(false), sandbox: await count(true) } })
}

/** Finds the sealed first response to the create request that has a given effect id. */
export const recallEndpoint: Recall = {
  kind: 'stored',
  collection: endpoints.name,
  async find({ Endpoint }, effectId) {
    const endpoint = await Endpoint.findById(effectId, { sealedResponse: 1 }).lean<Pick<
      Endpoint,
      'sealedResponse'
    > | null>()
    return endpoint?.sealedResponse ?? null
  },
}
