import type { mongo } from 'mongoose'
import { createEndpointBody } from '../../../schemas/endpoints.ts'
import type { EventName } from '../../../schemas/events.ts'
import type { Caller } from '../../businesses/caller.ts'
import { isEffect, type QuotaDeps, type Reserve, withinAuditLines, withinStorage } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { once, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { bytesOf } from '../../mongo/bytes-of.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { newId } from '../../security/ids.ts'
import { storedUrl } from '../sender/url.ts'
import { auditedFields } from './audit.ts'
import { type Endpoint, endpointSlots, standing, untried } from './endpoint.ts'
import { permitEvents } from './event-permission.ts'
import { presentEndpoint } from './present.ts'
import { newSecret, presentSecret, secretField } from './signing-secrets.ts'

export type EndpointRequest = Pick<Endpoint, 'url' | 'events'>

/**
 * Validates the body of a create request (SPEC 4.8, rules 2 to 4). The URL must be public and use https, the events
 * must exist, and the caller's scopes must allow these events.
 */
export function parseEndpoint(deps: Pick<Deps, 'validate'>, caller: Caller, body: unknown): EndpointRequest {
  const input = deps.validate(createEndpointBody, body)
  const wanted = [...new Set(input.events as EventName[])]
  permitEvents(caller, wanted, 'events')
  return { url: storedUrl(input.url), events: wanted }
}

type CreateDeps = QuotaDeps & Pick<Deps, 'Endpoint' | 'AuditEvent' | 'StoredResponse' | 'transactions' | 'secrets'>

/**
 * Creates an endpoint in the first of the business's five slots that is free. Returns the data described in SPEC 4.8,
 * including the secret. After that, the only operation that returns a secret is a rotation, which returns a new one.
 * Throws MAX_ENDPOINTS_REACHED if no slot is free, and RATE_LIMITED if a daily quota is used up.
 */
export function createEndpoint(
  deps: CreateDeps,
  caller: Caller,
  described: EndpointRequest,
  request: WriteRequest,
): Promise<Result> {
  const { businessId, sandbox } = caller
  const create = (reserve: Reserve) =>
    once(deps, request, { documents: [businessId] }, async ({ session, at, add }) => {
      const [_id, secret] = [newId(), newSecret()]
      const endpoint: Endpoint = {
        _id,
        businessId,
        sandbox,
        slot: await findFreeSlot(deps, caller, session),
        ...described,
        secret: deps.secrets.seal(secret, secretField(_id)),
        previousSecrets: [],
        active: true,
        deletedAt: null,
        health: untried,
        attemptHours: {},
        reportedFailure: null,
        outbox: [],
        createdAt: at,
        updatedAt: at,
      }
      await reserve({ others: 1, bytes: bytesOf(endpoint) })
      await nativeCollection(deps.Endpoint).insertOne(endpoint, { session })
      await add({ act: 'endpoint.created', subject: _id, businessId, after: auditedFields(deps, endpoint) })
      return { ...presentEndpoint(endpoint), ...presentSecret(secret) }
    })
  return withinAuditLines(deps, caller, () => withinStorage(deps, caller, create), isEffect)
}

/** If another request takes the slot at the same time, the unique index `slotInUse` makes the transaction repeat. */
async function findFreeSlot(
  { Endpoint: model }: Pick<Deps, 'Endpoint'>,
  { businessId }: Caller,
  session: mongo.ClientSession,
): Promise<number> {
  const found = await nativeCollection(model)
    .find({ businessId, ...standing }, { projection: { slot: 1, sandbox: 1 }, hint: 'slotInUse', session })
    .toArray()
  const free = endpointSlots.find((slot) => !found.some((endpoint) => endpoint.slot === slot))
  if (free !== undefined) return free
  const live = found.filter((endpoint) => !endpoint.sandbox).length
  throw refuse('MAX_ENDPOINTS_REACHED', { details: { live, sandbox: found.length - live } })
}
