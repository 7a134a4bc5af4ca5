import { type SimulatePaymentBody, simulatePaymentBody } from '../../../schemas/simulate-payment.ts'
import type { Deps } from '../../deps.ts'
import { readPhone } from '../../wallets/phone.ts'

export interface Simulation {
  /** In centimes. If null, the payment uses the amount of the intent, or the suggested amount of an OPEN intent. */
  amount: number | null
  payerPhone: string
  outcome: NonNullable<SimulatePaymentBody['outcome']>
}

/** A phone number with which demo wallet payments always succeed. It is used if the body contains no payer. */
const demoPayer = '22000001'

/** Validates the body of a simulation request as far as that is possible without the intent. */
export function parseSimulation(deps: Pick<Deps, 'validate'>, body: unknown): Simulation {
  const { amount, payerPhone, outcome } = deps.validate<SimulatePaymentBody>(simulatePaymentBody, body)
  return {
    amount: amount ?? null,
    payerPhone: readPhone(payerPhone ?? demoPayer) ?? demoPayer,
    outcome: outcome ?? 'success',
  }
}
