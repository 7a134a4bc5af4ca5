import type { Call } from '../../evidence/evidence.ts'
import type { Evidence } from '../folder/evidence.ts'
import { dataOf } from './answers.ts'
import { groupsOf } from './groups.ts'
import { lateMs } from './requests.ts'
import type { Span, Times } from './times.ts'

/** From when a write may have counted, and from when it did, on the machine's clock; whether it ever did, for all that its merchant was told. */
interface Written extends Span {
  isSure: boolean
}

/** What of an endpoint may change, as one write of a merchant left it. */
interface Change extends Written {
  url?: string
  events?: string[]
  active?: boolean
}

/** What is known of an endpoint's past. */
export interface Past {
  /** Whether it was subscribed to the event at some moment of the span, and whether it was all the time. */
  subscribed(event: string, span: Span): { ever: boolean; always: boolean }
  /** Whether it was deleted or switched off at some moment of the span, for all that is known. */
  mayHaveStopped(span: Span): boolean
  /** Whether it surely was so all the time. */
  wasStopped(span: Span): boolean
  /** Where it may have been in the span. */
  urls(span: Span): Set<string>
}

const never = Number.POSITIVE_INFINITY

/** The past of every endpoint that was ever there, by its id. */
export function pastsOf(
  { calls, dump }: Pick<Evidence, 'calls' | 'dump'>,
  times: Pick<Times, 'machineTime'>,
): Map<string, Past> {
  // A stranger is refused it, whether they are told so or not.
  const some = calls.filter(({ what, actor }) => what.startsWith('endpoint.') && actor !== 'stranger')
  const changing = groupsOf(some, (call) => endpointIn(call) ?? '')
  const creating = groupsOf(
    [
      ...groupsOf(
        some.filter(({ what }) => what === 'endpoint.create'),
        keyOf,
      ).values(),
    ],
    (tries) => tries.map((call) => dataOf<{ id: string }>(call)?.id).find((id) => id !== undefined) ?? '',
  )
  return new Map(
    dump.webhookendpoints.map((endpoint) => {
      const { _id, url, events } = endpoint
      const tries = creating.get(_id)?.[0]
      // Nobody was told of it: then it counted from some moment on after it was made.
      const made = times.machineTime(endpoint.createdAt)
      const span = tries === undefined ? { from: made.from, to: made.to + lateMs } : spansOf(tries)[0]
      const first = {
        active: true,
        url,
        events,
        from: made.from,
        to: made.to,
        ...span,
        isSure: true,
        ...(tries?.[0]?.body as object | undefined),
      }
      return [_id, pastOf(first, changing.get(_id) ?? [])]
    }),
  )
}

const keyOf = (call: Call): string => `${call.keyId} ${call.path} ${call.idempotencyKey}`

export const endpointIn = ({ path }: Pick<Call, 'path'>): string | null =>
  /\/endpoints\/([0-9a-f]{24})/.exec(path)?.[1] ?? null

function pastOf(first: Change, calls: Call[]): Past {
  const changes = [first, ...changesOf(calls)]
  const at = <Field extends 'url' | 'events' | 'active'>(field: Field, span: Span) =>
    valuesOf(changes, field, span)
  const gone = spansOf(calls.filter(({ what }) => what === 'endpoint.delete'))
  return {
    subscribed(event, span) {
      const active = at('active', span)
      const events = at('events', span)
      const isThere =
        gone.every(({ to, isSure }) => !isSure || to >= span.from) && (changes[0]?.from ?? never) <= span.to
      const wasThere = gone.every(({ from }) => from > span.to) && (changes[0]?.to ?? never) <= span.from
      return {
        ever: isThere && active.includes(true) && events.some((some) => some.includes(event)),
        always: wasThere && active.every(Boolean) && events.every((some) => some.includes(event)),
      }
    },
    mayHaveStopped: (span) => gone.some(({ from }) => from <= span.to) || at('active', span).includes(false),
    wasStopped(span) {
      const active = at('active', span)
      const isOff = active.length > 0 && !active.includes(true)
      return isOff || gone.some(({ to, isSure }) => isSure && to <= span.from)
    },
    urls: (span) => new Set(at('url', span)),
  }
}

/** When the tries of one write may have had their effect: from the first one's begin to when one was answered good. */
function spansOf(calls: Call[]): Written[] {
  return [...groupsOf(calls, keyOf).values()].flatMap((tries) => {
    const isRefused = tries.some(({ status }) => status !== null && status >= 400 && status < 409)
    if (isRefused && !tries.some(({ status }) => status === 200)) return []
    const done = tries.filter(({ status }) => status !== null && status < 300).map(({ ended }) => ended)
    const ends = tries.map(({ ended }) => ended + lateMs)
    return [
      {
        from: Math.min(...tries.map(({ began }) => began)),
        to: done.length > 0 ? Math.min(...done) : Math.max(...ends),
        isSure: done.length > 0,
      },
    ]
  })
}

function changesOf(calls: Call[]): Change[] {
  const updates = groupsOf(
    calls.filter(({ what }) => what === 'endpoint.update'),
    keyOf,
  )
  const changes = [...updates.values()].flatMap((tries) =>
    spansOf(tries).map((span) => ({ ...span, ...(tries[0]?.body as object | undefined) })),
  )
  return changes.toSorted((one, other) => one.from - other.from)
}

/** Every value that a field may have had in the span: changes that surely came before another that surely came before it count no more. */
function valuesOf<Field extends 'url' | 'events' | 'active'>(
  changes: Change[],
  field: Field,
  span: Span,
): NonNullable<Change[Field]>[] {
  const setting = changes.filter((change) => change[field] !== undefined && change.from <= span.to)
  const isOver = (change: Change) =>
    setting.some(
      (other) => other !== change && other.isSure && other.from > change.to && other.to <= span.from,
    )
  return setting
    .filter((change) => !isOver(change))
    .map((change) => change[field] as NonNullable<Change[Field]>)
}
