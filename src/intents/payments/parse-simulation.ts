import { type SimulatePaymentBody, simulatePaymentBody } from '../../../schemas/simulate-payment.ts'
import type { Deps } from '../../deps.ts'
import { readPhone } from '../../wallets/phone.ts'

export interface Simulation {
  /**
   * The amount in centimes. If this is null, the payment uses the intent's own amount. For an OPEN intent, that is the
   * suggested amount, or a default if there is none.
   */
  amount: number | null
  payerPhone: string
  outcome: NonNullable<SimulatePaymentBody['outcome']>
}

/**
 * The payer's phone number if the request body contains none. In the demo wallet, payments with this number always
 * succeed.
 */
const demoPayer = '22000001'

/**
 * Validates the body of a request to simulate a payment. Does not check whether the amount matches the intent, because
 * `simulatePayment` does that.
 */
export function parseSimulation(deps: Pick<Deps, 'validate'>, body: unknown): Simulation {
  const { amount, payerPhone, outcome } = deps.validate<SimulatePaymentBody>(simulatePaymentBody, body)
  return {
    amount: amount ?? null,
    payerPhone: readPhone(payerPhone ?? demoPayer) ?? demoPayer,
    outcome: outcome ?? 'success',
  }
}
