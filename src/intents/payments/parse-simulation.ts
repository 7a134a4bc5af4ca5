import { type SimulatePaymentBody, simulatePaymentBody } from '../../../schemas/simulate-payment.ts'
import type { Deps } from '../../deps.ts'
import { readPhone } from '../../wallets/phone.ts'

/** How a simulated payment shall go. */
export interface Simulation {
  /** Centimes; null: the intent's own, or for OPEN its suggestion. */
  amount: number | null
  payerPhone: string
  outcome: NonNullable<SimulatePaymentBody['outcome']>
}

/** Who pays when the body names nobody: the demo wallet that always pays. */
const demoPayer = '22000001'

/** Judges the body of a simulation as far as it can be without the intent. */
export function parseSimulation(deps: Pick<Deps, 'validate'>, body: unknown): Simulation {
  const { amount, payerPhone, outcome } = deps.validate<SimulatePaymentBody>(simulatePaymentBody, body)
  return {
    amount: amount ?? null,
    payerPhone: readPhone(payerPhone ?? demoPayer) ?? demoPayer,
    outcome: outcome ?? 'success',
  }
}
