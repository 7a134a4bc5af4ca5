import { isDeepStrictEqual } from 'node:util'
import type { mongo } from 'mongoose'
import { createEndpointBody, updateEndpointBody } from '../../../schemas/endpoints.ts'
import type { EventName } from '../../../schemas/events.ts'
import { newAuditLine } from '../../audit/audit-event.ts'
import { type AuditContext, runAuditedOnce } from '../../audit/audited.ts'
import { recordAuditRepeat } from '../../audit/repeats.ts'
import type { Caller } from '../../businesses/caller.ts'
import * as quotas from '../../businesses/quotas.ts'
import type { OperationResult, WriteRequest } from '../../idempotency/request.ts'
import { toStoredUrl } from '../../input/webhook-url.ts'
import { measureBson, rawCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { orNull } from '../../platform/or-null.ts'
import { startOfHour } from '../../platform/time.ts'
import { omitUndefined } from '../../platform/without-undefined.ts'
import { type Endpoint, endpointSlots, newEndpointHealth, undeletedFilter } from './endpoint.ts'
import { fingerprint, maskUrl } from './endpoint-facts.ts'
import { checkEventScopes, findEndpoint, findOwnEndpoint, presentEndpoint } from './find.ts'
import { pruneEndpoints, stopDeliveries } from './stop-deliveries.ts'
import * as sealed from './stored-secrets.ts'

type BodyDeps = Pick<Deps, 'validate'>
type EndpointRequest = Pick<Endpoint, 'url' | 'events'> & { headers: sealed.CustomHeaders }

/** Checks rules 2 to 4 of SPEC 4.8. */
export function parseNewEndpoint(deps: BodyDeps, caller: Caller, body: unknown): EndpointRequest {
  const input = deps.validate(createEndpointBody, body)
  const wanted = [...new Set(input.events as EventName[])]
  checkEventScopes(caller, wanted, 'events')
  return { url: toStoredUrl(input.url), events: wanted, headers: input.headers ?? {} }
}

type ChangeDeps = Parameters<typeof runAuditedOnce>[0] &
  quotas.QuotaDeps &
  Pick<Deps, 'Endpoint' | 'Delivery' | 'secrets' | 'log'>

/** Only this response contains the secret. */
export function createEndpoint(
  deps: ChangeDeps,
  caller: Caller,
  { headers, ...described }: EndpointRequest,
  request: WriteRequest,
): Promise<OperationResult> {
  const { businessId, sandbox } = caller
  const create = (reserve: quotas.ReserveStorage) =>
    runAuditedOnce(deps, request, { documents: [businessId] }, async ({ session, at, add }) => {
      const [_id, secret] = [newId(), sealed.newSecret()]
      const endpoint: Endpoint = {
        _id,
        businessId,
        sandbox,
        slot: await findFreeSlot(deps, caller, session),
        ...described,
        secret: deps.secrets.encrypt(secret, sealed.signingSecretField(_id)),
        previousSecrets: [],
        ...sealed.encryptHeaders(deps.secrets, _id, headers),
        active: true,
        deletedAt: null,
        health: newEndpointHealth,
        attemptHours: {},
        reportedFailure: null,
        outbox: [],
        createdAt: at,
        updatedAt: at,
      }
      await reserve({ others: 1, bytes: measureBson(endpoint) })
      await rawCollection(deps.Endpoint).insertOne(endpoint, { session })
      await add({
        act: 'endpoint.created',
        subject: _id,
        businessId,
        after: omitUndefined(auditedFields(deps, endpoint)),
      })
      return { ...presentEndpoint(endpoint), ...sealed.presentSecret(secret) }
    })
  return quotas.withAuditQuota(
    deps,
    caller,
    () => quotas.withStorageQuota(deps, caller, create),
    quotas.hasNewEffect,
  )
}

/** If a concurrent request takes the slot, the transaction is retried. */
async function findFreeSlot(
  { Endpoint: model }: Pick<Deps, 'Endpoint'>,
  { businessId }: Caller,
  session: mongo.ClientSession,
): Promise<number> {
  const found = await rawCollection(model)
    .find(
      { businessId, ...undeletedFilter },
      { projection: { slot: 1, sandbox: 1 }, hint: 'slotInUse', session },
    )
    .toArray()
  const free = endpointSlots.find((slot) => !found.some((endpoint) => endpoint.slot === slot))
  if (free !== undefined) return free
  const live = found.filter((endpoint) => !endpoint.sandbox).length
  throw refuse('MAX_ENDPOINTS_REACHED', { details: { live, sandbox: found.length - live } })
}

export type EndpointChange = Partial<Pick<Endpoint, 'url' | 'events' | 'active'>> & {
  headers?: sealed.CustomHeaders
}

export function parseEndpointChange(deps: BodyDeps, caller: Caller, body: unknown): EndpointChange {
  const { url, events, active, headers } = deps.validate(updateEndpointBody, body)
  const wanted = events && [...new Set(events as EventName[])]
  checkEventScopes(caller, wanted ?? [], 'events')
  const storedUrl = url === undefined ? url : toStoredUrl(url)
  return omitUndefined({ url: storedUrl, events: wanted, active, headers: headers === null ? {} : headers })
}

/** Who may not see the events may not redirect them, either. */
export async function updateEndpoint(
  deps: ChangeDeps,
  caller: Caller,
  id: string,
  change: EndpointChange,
  request: WriteRequest,
): Promise<OperationResult> {
  if (Object.keys(change).length === 0)
    return { kind: 'none', data: presentEndpoint(await findEndpoint(deps, caller, id)) }
  let addsLine = false
  const changeOnce = () =>
    runAuditedOnce(deps, request, { documents: [id] }, async ({ session, at, add }) => {
      const endpoint = await findEndpoint(deps, caller, id, session)
      const { headers: _given, ...fields } = change
      const isRedirected = change.url !== undefined || change.headers !== undefined
      if (isRedirected && change.events === undefined) checkEventScopes(caller, endpoint.events, 'events')
      const { headers: _before, ...kept } = endpoint
      const stored = headersAfter(deps, endpoint, change)
      const changed = { ...kept, ...fields, ...stored, updatedAt: at }
      const isNewStart = changed.url !== endpoint.url || (changed.active && !endpoint.active)
      const restart = isNewStart && { health: newEndpointHealth }
      const $set = { ...fields, ...stored, ...restart, updatedAt: at }
      const update = stored.headers === undefined ? { $set, $unset: { headers: 1 } as const } : { $set }
      await rawCollection(deps.Endpoint).updateOne({ _id: id }, update, { session })
      const changes = auditedChanges(deps, endpoint, changed)
      addsLine = changes !== null
      if (changes !== null)
        await add({ act: 'endpoint.changed', subject: id, businessId: caller.businessId, ...changes })
      return presentEndpoint({ ...changed, ...restart })
    })
  const result =
    (await request.earlier()) ??
    (await quotas.withAuditQuota(deps, caller, changeOnce, (done) => addsLine && quotas.hasNewEffect(done)))
  // The process of an earlier request may have died before this line.
  if (change.active === false) await stopDeliveries(deps, id)
  return result
}

/** Another host must not get a password that was meant for the old one. */
function headersAfter(
  deps: ChangeDeps,
  endpoint: Endpoint,
  { url = endpoint.url, headers }: EndpointChange,
): Pick<Endpoint, 'headers'> {
  if (headers !== undefined) return sealed.encryptHeaders(deps.secrets, endpoint._id, headers)
  const isMoved = URL.parse(url)?.origin !== URL.parse(endpoint.url)?.origin
  return isMoved ? {} : omitUndefined({ headers: endpoint.headers })
}

type AuditedFields = Pick<Endpoint, '_id' | 'url' | 'events' | 'active' | 'headers'>

function auditedFields(deps: ChangeDeps, endpoint: AuditedFields): Record<string, unknown> {
  const { url, events, active, headers } = endpoint
  return { url: maskUrl(deps, url), events, active, headers: headers && maskHeaders(deps, endpoint) }
}

/** The end shows whether a value has changed. */
function maskHeaders({ secrets }: ChangeDeps, endpoint: AuditedFields): string {
  const values = orNull(() => JSON.stringify(sealed.decryptHeaders(secrets, endpoint)))
  return `${endpoint.headers?.names.join(', ')}…${values === null ? '?' : fingerprint(secrets, values)}`
}

function auditedChanges(deps: ChangeDeps, stored: AuditedFields, changed: AuditedFields) {
  const [before, after] = [auditedFields(deps, stored), auditedFields(deps, changed)]
  const names = Object.keys(before).filter((name) => !isDeepStrictEqual(after[name], before[name]))
  if (names.length === 0) return null
  const only = (fields: Record<string, unknown>) =>
    Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))
  return { before: only(before), after: only(after) }
}

const overlapMs = 24 * 3_600_000

/** Each previous secret adds a signature to every attempt. */
const maxPrevious = 5

/** For 24 hours, attempts are also signed with the old secret. */
export async function rotateSecret(deps: ChangeDeps, caller: Caller, id: string, request: WriteRequest) {
  let addsLine = false
  const rotate = async ({ session, by, at, add }: AuditContext) => {
    const endpoint = await findEndpoint(deps, caller, id, session)
    checkEventScopes(caller, endpoint.events, 'events')
    const secret = sealed.newSecret()
    const validUntil = new Date(at.getTime() + overlapMs)
    const previous = [{ secret: endpoint.secret, validUntil }, ...endpoint.previousSecrets]
    const set = {
      secret: deps.secrets.encrypt(secret, sealed.signingSecretField(id)),
      previousSecrets: previous.slice(0, maxPrevious),
      updatedAt: at,
    }
    await rawCollection(deps.Endpoint).updateOne({ _id: id }, { $set: set }, { session })
    const about = { act: 'endpoint.secret-rotated', subject: id, businessId: caller.businessId } as const
    const last = endpoint.previousSecrets[0]?.validUntil.getTime() ?? 0
    addsLine = last < startOfHour(at).getTime() + overlapMs
    if (addsLine) await add({ ...about, after: { overlapEndsAt: validUntil } })
    else
      await recordAuditRepeat(deps, `rotate-secret ${id}`, newAuditLine(by, at, about), caller.keyId, session)
    return { ...presentEndpoint(endpoint), ...sealed.presentSecret(secret) }
  }
  const result = await runAuditedOnce(deps, request, { documents: [id] }, rotate)
  if (addsLine) quotas.countAuditLine(deps, caller)
  return result
}

/** Test and live endpoints share the slots, so a live key can delete both. */
export async function deleteEndpoint(deps: ChangeDeps, caller: Caller, id: string, request: WriteRequest) {
  const remove = () =>
    runAuditedOnce(deps, request, { documents: [id] }, async ({ session, at, add }) => {
      const find = caller.sandbox ? findEndpoint : findOwnEndpoint
      await find(deps, caller, id, session)
      const change = { $set: { deletedAt: at, updatedAt: at }, $unset: { slot: 1 } } as const
      await rawCollection(deps.Endpoint).updateOne({ _id: id }, change, { session })
      const fields = { before: { deletedAt: null }, after: { deletedAt: at } }
      await add({ act: 'endpoint.deleted', subject: id, businessId: caller.businessId, ...fields })
      return { id, deleted: true }
    })
  const earlier = await request.earlier()
  const result = earlier ?? (await remove())
  if (earlier === null) quotas.countAuditLine(deps, caller)
  // The process of an earlier request may have died before this line.
  await stopDeliveries(deps, id)
  await pruneEndpoints(deps, caller.businessId).catch((err: unknown) =>
    deps.log.warn({ err, businessId: caller.businessId }, 'endpoints.not-removed'),
  )
  return result
}
