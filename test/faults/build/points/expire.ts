import { after, before } from './point.ts'

const expire = before('worker', 'src/intents/expire.ts')

/** `sweep.…` of what looks for all that was left behind. */
export const expirePoints = [
  expire('expire.taken', 'const expired = await transitionTogether('),
  expire('expire.moved', 'nudgeRelay(deps, expired)'),
  after('worker', 'src/intents/expire.ts')('expire.nudged', 'nudgeRelay(deps, expired)'),
  before('worker', 'src/sweep.ts')('sweep.begun', 'await eachInTurn(looks)'),
  after('worker', 'src/sweep.ts')('sweep.done', 'await eachInTurn(looks)'),
]
