import { before, replace } from '../../../support/edited-build/edit.ts'
import { killedAt, type PlantedBugs } from '../mutant.ts'

export const eventMutants: PlantedBugs = {
  'logged-after-emptying': {
    bug: 'The relay removes an event from its outbox before it is in the event log.',
    edits: [
      replace('relaySome', 'logEvents($$)', 'null'),
      before('relaySome', '$.causes.push($$)', 'await logEvents(deps, source, outbox, noDeadline)'),
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
}
