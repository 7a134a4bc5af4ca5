import { type SimulatePaymentBody, simulatePaymentBody } from '../../../schemas/simulate-payment.ts'
import type { Deps } from '../../deps.ts'
import { readPhone } from '../../wallets/phone.ts'

/** A payment to simulate. */
export interface Simulation {
  /** Centimes. If null, the payment is for the intent's amount, or for the amount suggested by an OPEN intent. */
  amount: number | null
  payerPhone: string
  outcome: NonNullable<SimulatePaymentBody['outcome']>
}

/** The demo wallet's phone number that always pays. Used if the body contains no payer. */
const demoPayer = '22000001'

/** Validates the body of a simulation as far as possible without the intent. */
export function parseSimulation(deps: Pick<Deps, 'validate'>, body: unknown): Simulation {
  const { amount, payerPhone, outcome } = deps.validate<SimulatePaymentBody>(simulatePaymentBody, body)
  return {
    amount: amount ?? null,
    payerPhone: readPhone(payerPhone ?? demoPayer) ?? demoPayer,
    outcome: outcome ?? 'success',
  }
}
