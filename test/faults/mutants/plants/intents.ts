import { killedAt, type Mutant, pausedAt, plain } from '../mutant.ts'

const create = 'src/intents/create.ts'

export const intentMutants: readonly Mutant[] = [
  {
    name: 'event-after-the-write',
    says: 'An intent is created first and its event written down afterwards, not in the same write.',
    edits: [
      {
        file: create,
        find: 'const insertion = await deps.batchers.insertIntent(intent, effect.until)',
        put: 'const outbox = intent.outbox\n    intent.outbox = []\n    const insertion = await deps.batchers.insertIntent(intent, effect.until)\n    intent.outbox = outbox',
      },
      {
        file: create,
        find: "countMove(deps, 'create', intent)",
        put: "countMove(deps, 'create', intent)\n      await deps.Intent.updateOne({ _id: intent._id }, { $push: { outbox: { $each: outbox } } })",
      },
    ],
    caughtBy: ['event.exact'],
    focus: killedAt('create.inserted'),
  },
  {
    name: 'paid-expires',
    says: 'Expiry takes whatever is at its time, a payment that was made too.',
    edits: [
      {
        file: 'src/intents/expire.ts',
        find: '  status: { $in: moves.expire.from },\n  hold: null,\n',
        put: '',
      },
      {
        file: 'src/intents/transition.ts',
        find: '      status: { $in: move.from },\n',
        put: "      ...(step.move === 'expire' ? {} : { status: { $in: move.from } }),\n",
      },
      {
        file: 'src/intents/lifecycle.ts',
        find: 'guard: (now) => ({ cancelsAt: { $lte: now } }),',
        put: 'guard: (now) => ({ expiresAt: { $lte: now }, hold: null }),',
      },
    ],
    caughtBy: ['read.forward'],
    focus: { ...plain, seconds: 30 },
    isOneMore: true,
  },
  {
    name: 'status-unguarded',
    says: 'A move does not check in its write from where it goes: of two at once both happen.',
    edits: [
      { file: 'src/intents/transition.ts', find: '      status: { $in: move.from },\n', put: '' },
      { file: 'src/intents/lifecycle.ts', find: 'guard: isFree,', put: 'guard: anyTime,' },
      { file: 'src/intents/payments/simulate.ts', find: 'guard: isFree(now) }', put: '}' },
    ],
    caughtBy: ['move.legal'],
    focus: { ...pausedAt('cancel.before-move', 'simulate.before-move'), often: ['raceFor'] },
  },
  {
    name: 'expiry-late',
    says: 'A payment intent past its time reads as open until a poll has found it.',
    edits: [
      {
        file: 'src/intents/present.ts',
        find: 'if (!isPending(intent.status) || intent.expiresAt > now || intent.hold !== null) return intent',
        put: 'if (now.getTime() > 0) return intent',
      },
      { file: 'src/outbox/relay.ts', find: 'if (created.length > 0)', put: 'if (created.length < 0)' },
      {
        file: 'src/intents/expire-due.ts',
        find: 'moves.expire.guard(before).cancelsAt',
        put: 'moves.expire.guard(new Date(before.getTime() - 5_000)).cancelsAt',
      },
    ],
    caughtBy: ['expiry.prompt'],
    focus: { ...plain, seconds: 30, often: ['listIntents'] },
  },
  {
    name: 'mark-not-counted',
    says: 'What was made in the very millisecond of a mark is in no count of a long list.',
    edits: [
      {
        file: 'src/lists/counts/count-span.ts',
        find: 'countMade(countable, { $gte: new Date(last.at), ...end }, most)',
        put: 'countMade(countable, { $gt: new Date(last.at), ...end }, most)',
      },
    ],
    caughtBy: ['list.exact'],
    focus: { ...plain, often: ['createIntent'] },
    isOneMore: true,
  },
  {
    name: 'refusal-misnumbered',
    says: 'A cancel that comes too late is refused with a status that the catalogue does not have for it.',
    edits: [
      {
        file: 'src/errors.ts',
        find: 'INTENT_CANCEL_INVALID_STATUS: [400,',
        put: 'INTENT_CANCEL_INVALID_STATUS: [422,',
      },
    ],
    caughtBy: ['answer.sound'],
    focus: { ...plain, often: ['cancelIntent'] },
    isOneMore: true,
  },
  {
    name: 'code-twice',
    says: 'Nothing keeps a payment code from being given to two payments at once.',
    edits: [
      {
        file: 'src/intents/intent.ts',
        find: '      key: { codeKey: 1 },\n      unique: true,\n',
        put: '      key: { codeKey: 1 },\n',
      },
    ],
    caughtBy: ['code.unique'],
    focus: { ...plain, often: ['createIntent'] },
    isOneMore: true,
  },
  {
    name: 'code-released-early',
    says: 'A payment code is free again as soon as somebody else draws it.',
    edits: [
      {
        file: 'src/intents/code.ts',
        find: '{ codeKey, codeReusableAt: { $lte: deps.now() } }',
        put: '{ codeKey }',
      },
    ],
    caughtBy: ['code.unique'],
    focus: { ...plain, often: ['createIntent'] },
  },
]
