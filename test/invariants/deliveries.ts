import { isDeepStrictEqual } from 'node:util'
import type { Check } from './check.ts'
import type { DeliveryDocument, EndpointDocument } from './documents.ts'
import { isOld, isSame, reportedIn, wordsOf } from './events.ts'
import { groupsOf } from './groups.ts'

/** SPEC 6.4 */
const maxAttempts = 8

const halvesOf = (id: string): [string, string] => {
  const both = Buffer.from(id, 'base64url').toString('hex')
  return [both.slice(0, 24), both.slice(24)]
}

const accepts = (endpoint: EndpointDocument, event: { sandbox: boolean }) =>
  event.sandbox || !endpoint.sandbox

export const deliveryOfEvent: Check = function* (stored, circumstances) {
  const { events } = reportedIn(stored)
  const endpoints = new Map(stored.webhookendpoints.map((each) => [each._id, each]))
  for (const delivery of stored.deliveries) {
    const { _id, event, referenceNumber, facts, endpointId, sandbox } = delivery
    const [eventId, ofId] = halvesOf(_id)
    const own = events.get(eventId)
    if (own === undefined && !(sandbox && circumstances.isCleaned))
      yield [_id, `reports ${event} of ${referenceNumber}, which is in no outbox and not in the log`]
    if (own !== undefined) {
      if (!isSame(own, delivery))
        yield [_id, `belongs to ${wordsOf(delivery)}, and its event to ${wordsOf(own)}`]
      if (
        own.event !== event ||
        own.referenceNumber !== referenceNumber ||
        !isDeepStrictEqual(own.facts, facts)
      )
        yield [_id, 'reports something else than its event']
    }
    if (ofId !== endpointId) yield [_id, `is for ${endpointId}, and its id is for ${ofId}`]
    const endpoint = endpoints.get(endpointId)
    if (endpoint?.businessId !== delivery.businessId || !accepts(endpoint, delivery))
      yield [_id, `belongs to ${wordsOf(delivery)}, and its endpoint does not`]
  }
}

const isSteady = ({ active, deletedAt, createdAt, updatedAt }: EndpointDocument): boolean =>
  active && deletedAt === null && createdAt === updatedAt

export const deliveriesComplete: Check = function* (stored, circumstances) {
  const { sources, events } = reportedIn(stored)
  const delivered = new Set(stored.deliveries.map(({ _id }) => _id))
  const steady = groupsOf(stored.webhookendpoints.filter(isSteady), ({ businessId }) => businessId)
  const deliveryId = (event: string, endpoint: string) =>
    Buffer.from(event + endpoint, 'hex').toString('base64url')
  for (const event of events.values()) {
    const { id, referenceNumber, createdAt, businessId } = event
    for (const endpoint of steady.get(businessId) ?? []) {
      const isThere = delivered.has(deliveryId(id, endpoint._id))
      const isWanted =
        endpoint.events.includes(event.event) && endpoint._id !== referenceNumber && accepts(endpoint, event)
      if (isThere && !isWanted)
        yield [referenceNumber, `endpoint ${endpoint._id} did not want ${event.event} (${id}) and has it`]
      if (isThere || !isWanted || !event.isRelayed || createdAt <= endpoint.createdAt + circumstances.lateMs)
        continue
      if ([event, sources.get(referenceNumber) ?? event].some((each) => isOld(each, circumstances))) continue
      yield [
        referenceNumber,
        `endpoint ${endpoint._id} is subscribed to ${event.event} (${id}), without a delivery`,
      ]
    }
  }
}

export const deliveryState: Check = function* ({ deliveries }) {
  for (const delivery of deliveries) {
    const { _id, status, nextAttemptAt, leaseToken, deliveredAt, deadAt, attempts, requeues } = delivery
    const isOpen = status === 'PENDING' || status === 'RETRYING'
    if (isOpen !== (nextAttemptAt !== null)) yield [_id, `is ${status}, and is due at ${nextAttemptAt}`]
    if (!isOpen && leaseToken !== null) yield [_id, `is ${status} and has a lease`]
    if ((status === 'DELIVERED') !== (deliveredAt !== null))
      yield [_id, `is ${status}, delivered at ${deliveredAt}`]
    if ((status === 'DEAD') !== (deadAt !== null)) yield [_id, `is ${status}, dead at ${deadAt}`]
    const most = maxAttempts + requeues
    if (attempts > most || (status === 'DEAD' && attempts !== most))
      yield [_id, `is ${status} after ${attempts} attempts, ${requeues} of them re-queued`]
    if (!isLogged(delivery))
      yield [_id, `counts ${attempts} attempts, and ${delivery.attemptLog.length} are recorded`]
  }
}

/** The log keeps 50 attempts. The clean-up leaves one in live deliveries. */
const isLogged = ({ attempts, attemptLog, sandbox }: DeliveryDocument): boolean =>
  attemptLog.length === Math.min(attempts, 50) || (!sandbox && attemptLog.length === Math.min(attempts, 1))
