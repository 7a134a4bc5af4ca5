import { before } from './point.ts'

const carryOut = before('web', 'src/intents/refunds/carry-out.ts')

export const refundPoints = [
  before('web', 'src/intents/refunds/refund.ts')('refund.before-set-aside', 'if (await beginRefund('),
  carryOut('refund.set-aside', 'const outcome = await outcomeOf('),
  carryOut('refund.wallet-answered', "if (outcome.outcome !== 'unknown') return conclude("),
  before('web', 'src/intents/refunds/settle.ts')('refund.settled', 'wakeRelay(deps, settled)'),
]
