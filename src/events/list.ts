import { type EventName, eventScopes, type ListEventsQuery } from '../../schemas/events.ts'
import type { Caller } from '../businesses/caller.ts'
import { readSpan, spanFilter, type TimeSpan } from '../input/span.ts'
import type { CountableList } from '../lists/counts.ts'
import {
  maxListReadMs,
  type Page,
  type PageRequest,
  parsePageRequest,
  readPage,
} from '../lists/pagination.ts'
import { readCountedPage } from '../lists/read-page.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { runInSlices } from '../platform/in-slices.ts'
import { findWebhookSources, webhookBody } from '../webhooks/message.ts'
import { findOldestOutboxEvent, type LoggedEvent } from './log.ts'

interface PresentedEvent {
  id: string
  type: string
  createdAt: Date
  referenceNumber: string
  sandbox: boolean
  body: unknown
}

/** Omits an event if the clean-up has already removed its intent or order. */
export async function presentEvents(models: Pick<Deps, 'Intent' | 'Order'>, found: readonly LoggedEvent[]) {
  const sources = await findWebhookSources(
    models,
    found.map(({ referenceNumber }) => referenceNumber),
  )
  const presented: PresentedEvent[] = []
  await runInSlices(found, (logged) => {
    const { _id: id, event: type, createdAt, referenceNumber, sandbox } = logged
    const source = sources.get(referenceNumber)
    if (source === undefined) return
    const body: unknown = JSON.parse(webhookBody({ ...logged, eventAt: createdAt }, source))
    presented.push({ id, type, createdAt, referenceNumber, sandbox, body })
  })
  return presented
}

/** Throws EVENT_NOT_FOUND, SANDBOX_MISMATCH and SCOPE_REQUIRED. */
export async function findEvent(
  deps: Pick<Deps, 'LoggedEvent' | 'Intent' | 'Order'>,
  caller: Caller,
  id: string,
): Promise<PresentedEvent> {
  const { businessId, sandbox } = caller
  const logged = await rawCollection(deps.LoggedEvent).findOne({ _id: id, businessId })
  if (logged === null || logged.event === 'cleaned') throw refuse('EVENT_NOT_FOUND')
  if (logged.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  checkEventScope(caller, logged.event)
  const [presented] = await presentEvents(deps, [logged])
  if (presented === undefined) throw refuse('EVENT_NOT_FOUND')
  return presented
}

const names = Object.keys(eventScopes) as EventName[]

export const listReadableTypes = ({ scopes }: Caller): EventName[] =>
  names.filter((name) => scopes.has(eventScopes[name]))

export function checkEventScope({ scopes }: Caller, type: EventName): void {
  const scope = eventScopes[type]
  if (!scopes.has(scope)) throw refuse('SCOPE_REQUIRED', { details: { scope } })
}

interface EventSearch extends PageRequest, TimeSpan {
  type: EventName | null
  referenceNumber: string | null
}

export function parseEventSearch(caller: Caller, query: ListEventsQuery): EventSearch {
  const { type = null, referenceNumber = null } = query
  if (type !== null) checkEventScope(caller, type)
  return { type, referenceNumber, ...readSpan(query), ...parsePageRequest(query) }
}

type Reads = Pick<Deps, 'LoggedEvent' | 'Intent' | 'Order' | 'Endpoint' | 'listCounts' | 'now'>

/** Returns the newest first. Omits events that the caller may not read. */
export function listEvents(deps: Reads, caller: Caller, search: EventSearch): Promise<Page<LoggedEvent>> {
  const { businessId, sandbox } = caller
  const { type, referenceNumber } = search
  const types = type === null ? listReadableTypes(caller) : [type]
  const ofTypes = { businessId, sandbox, event: { $in: types } }
  // Test events expire, but count checkpoints need a list that never shrinks.
  if (!sandbox && referenceNumber === null) {
    const countable: CountableList = {
      collection: deps.LoggedEvent.collection,
      key: `live events ${businessId} ${types.join()}`,
      where: ofTypes,
      index: 'byTypeAndTime',
      keptFrom: null,
      // After an outage of all workers, events are logged late.
      completeBefore: async () => (await findOldestOutboxEvent(deps, maxListReadMs))?.createdAt ?? null,
    }
    return readCountedPage(deps, countable, search, search, {})
  }
  const where = {
    ...ofTypes,
    ...(referenceNumber === null ? {} : { referenceNumber }),
    ...spanFilter('createdAt', search),
  }
  const index = referenceNumber === null ? 'byTypeAndTime' : 'byReference'
  return readPage<LoggedEvent>(deps.LoggedEvent, { where, index }, search)
}
