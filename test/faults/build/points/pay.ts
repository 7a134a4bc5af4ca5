import { before, within } from './point.ts'

const pay = before('web', 'src/intents/payments/pay.ts')
const simulate = before('web', 'src/intents/payments/simulate.ts')
const outcome = before('worker', 'src/intents/query-wallets.ts')

/** Of a payment by wallet; `wallet.…` of the sandbox's wallets, by which refunds go too; `outcome.…` of asking what became of either. */
export const payPoints = [
  pay('pay.before-begin', 'const held = await spend('),
  pay('pay.under-way', 'const { phone, pin, amount } = confirmation'),
  within('web', 'src/wallets/sandbox/move.ts')(
    'wallet.money-held',
    'if (matchedCount > 0) return finishMovement(deps, accountId, current)',
    'if (matchedCount > 0) { REACH; return finishMovement(deps, accountId, current) }',
  ),
  before('web', 'src/wallets/sandbox/finish.ts')(
    'wallet.decided',
    "const counts = row.nonce === nonce && row.result.outcome === 'done'",
  ),
  before('web', 'src/wallets/sandbox/finish.ts')('wallet.moved', 'return row.result'),
  pay('pay.wallet-answered', "if (outcome.outcome === 'unknown') {"),
  before('web', 'src/intents/payments/settle.ts')('pay.settled', 'wakeRelay(deps, settled)'),
  simulate('simulate.before-move', 'const after = await endPayment('),
  simulate('simulate.settled', 'wakeRelay(deps, after)'),
  outcome('outcome.asking', 'const outcome = await ask(deps, open)'),
  outcome('outcome.answered', "if (outcome.outcome !== 'unknown') {"),
]
