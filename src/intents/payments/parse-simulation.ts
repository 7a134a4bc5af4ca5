import { type SimulatePaymentBody, simulatePaymentBody } from '../../../schemas/simulate-payment.ts'
import type { Deps } from '../../deps.ts'
import { readPhone } from '../../wallets/phone.ts'

/** A payment to simulate. */
export interface Simulation {
  /** Centimes. Null for the amount of the intent, or the suggestion of an OPEN intent. */
  amount: number | null
  payerPhone: string
  outcome: NonNullable<SimulatePaymentBody['outcome']>
}

/** The phone of the demo wallet that always pays: the payer if the body has none. */
const demoPayer = '22000001'

/** Validates the body of a simulation, as far as that is possible without the intent. */
export function parseSimulation(deps: Pick<Deps, 'validate'>, body: unknown): Simulation {
  const { amount, payerPhone, outcome } = deps.validate<SimulatePaymentBody>(simulatePaymentBody, body)
  return {
    amount: amount ?? null,
    payerPhone: readPhone(payerPhone ?? demoPayer) ?? demoPayer,
    outcome: outcome ?? 'success',
  }
}
