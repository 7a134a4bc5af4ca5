import { before, drop, replace } from '../../../support/edited-build/edit.ts'
import { killedAt, type PlantedBugs, plain } from '../mutant.ts'

export const eventMutants: PlantedBugs = {
  'logged-after-emptying': {
    bug: 'The relay removes an event from its outbox before it is in the event log.',
    edits: [
      replace('relayDocument', 'logEvents($$)', 'null'),
      before('relayDocument', '$.causes.push($$)', 'await logEvents(deps, source, outbox, noDeadline)'),
    ],
    caughtBy: ['events.complete'],
    focus: killedAt('relay.events-pulled'),
  },
  'logged-twice': {
    bug: 'The log is not unique by event id, so an event that is relayed again is in the log twice.',
    edits: [replace('openEventLog', '...draft', '...draft, _id: crypto.randomUUID()')],
    caughtBy: ['events.complete'],
    focus: killedAt('relay.logged', 'chain.inserted'),
  },
  'next-past-unread': {
    bug: 'The position after a page of the feed is the end of the log.',
    edits: [replace('readFeed', 'hasMore ? $ : $end', '$end')],
    caughtBy: ['events.complete'],
    focus: { ...plain, often: ['createIntent'] },
  },
  'awaited-skipped': {
    bug: 'A request that waits for an event continues at the end of the log.',
    edits: [before('holdForEvent', 'hasEvent($$)', "found.query.after = 'latest'")],
    caughtBy: ['events.complete'],
  },
  'feed-by-time': {
    bug: 'The feed is in the order of time, not of numbers.',
    edits: [replace('cursorBetween', 'sort: { number: 1 }', 'sort: { createdAt: 1 }')],
    caughtBy: ['events.complete'],
    focus: { ...plain, often: ['createIntent', 'simulatePayment'] },
  },
  'replay-again': {
    bug: 'A replay that repeats a page does not see what it has re-queued, and re-queues it again.',
    edits: [replace('requeueForReplay', '!isOwn($)', 'true')],
    caughtBy: ['audit.complete'],
    focus: { ...killedAt('replay.page-written'), seconds: 40, often: ['startReplay'] },
  },
  'replay-ahead': {
    bug: 'A replay records its progress before it re-queues the deliveries.',
    edits: [
      before(
        'runPage',
        'applyPage($$)',
        `const first = { createdAt: events.at(-1).createdAt, eventId: events.at(-1)._id }
        await recordProgress(deps, replay, first, { requeued: 0, created: 0, skipped: 0 })`,
      ),
    ],
    caughtBy: ['replay.exact'],
    focus: { ...killedAt('replay.before-page'), seconds: 40, often: ['startReplay'] },
  },
  'replay-half': {
    bug: 'A replay leaves out what its endpoint had accepted.',
    edits: [replace('judge', '!includesDelivered', 'true')],
    caughtBy: ['replay.exact'],
    focus: { ...plain, seconds: 20, often: ['startReplay'] },
  },
  'replay-uncounted': {
    bug: 'Two replays at once get different numbers of the day, so a business can start more than a hundred.',
    edits: [
      replace(
        'insertReplay',
        'numberOfDay: $',
        'numberOfDay: (await takeNumber(deps, planned, now, session)) + Math.random()',
      ),
    ],
    caughtBy: ['webhooks/replay.test.ts'],
  },
  'locked-endpoint-waits': {
    bug: 'Background work waits for an endpoint or replay that a dead process has locked, and so does all behind it.',
    edits: [
      replace('unlessLocked', 'await tryOnce($client, $, $write)', '{ result: await write(undefined as never) }'),
    ],
    caughtBy: ['webhooks/failing-endpoints.test.ts'],
  },
  'health-together': {
    bug: 'The health of all endpoints is written together, so one that is locked holds up the others.',
    edits: [
      replace('createHealthNotes', 'result.endpointId', "'all'"),
      replace(
        'createHealthNotes',
        '$endpoints.updateOne({ _id }, healthChange(notes))',
        'models.Endpoint.collection.bulkWrite([...Map.groupBy(notes, (each) => each.endpointId)].map(([id, own]) => ({ updateOne: { filter: { _id: id }, update: healthChange(own) } })) as never)',
      ),
    ],
    caughtBy: ['webhooks/failing-endpoints.test.ts'],
  },
  'open-line-sealed': {
    bug: 'A line that repeated acts share is sealed while acts are still counted in it.',
    edits: [drop('sealTrail', '...closed($)')],
    caughtBy: ['admin/audit-seals.test.ts'],
  },
}
