import { after, before } from './point.ts'

const expire = before('worker', 'src/intents/expire.ts')

/** `poll.…` of each look for work in MongoDB. */
export const expirePoints = [
  expire('expire.taken', 'const expired = await transitionTogether('),
  expire('expire.moved', 'wakeRelay(deps, expired)'),
  after('worker', 'src/intents/expire.ts')('expire.enqueued', 'wakeRelay(deps, expired)'),
  before('worker', 'workers/run/poll.ts')('poll.begun', 'found = await look(deps)'),
  after('worker', 'workers/run/poll.ts')('poll.done', 'found = await look(deps)'),
]
