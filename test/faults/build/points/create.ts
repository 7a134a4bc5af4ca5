import { after, before } from './point.ts'

const request = before('web', 'src/http/operations/run-operation.ts')
const claim = before('web', 'src/http/operations/idempotency.ts')
const create = before('web', 'src/intents/create.ts')
const cancel = before('web', 'src/intents/cancel.ts')

/** Of a create; `write.…` of every write. */
export const createPoints = [
  request('write.key-looked-up', 'const key = idempotencyKey(req)'),
  claim('write.claimed', 'const { answer: own, isKept } = await withinSandboxResponses('),
  create('create.before-insert', 'const insertion = await deps.batchers.insertIntent('),
  create('create.inserted', "countMove(deps, 'create', intent)"),
  after('web', 'src/intents/create.ts')('create.enqueued', 'wakeRelay(deps, intent)'),
  claim('create.before-answer', 'if (write.recall !== null) return { answer, isKept: true }'),
  claim('write.before-answer-kept', 'const isKept = await deadline.spend('),
  claim('write.answer-kept', 'return { answer, isKept }'),
  cancel('cancel.before-move', 'const cancelled = await transition('),
  cancel('cancel.moved', 'wakeRelay(deps, cancelled)'),
]
