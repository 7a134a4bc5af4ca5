import type { Mutant } from './mutant.ts'
import { deliveryMutants } from './plants/deliveries.ts'
import { idempotencyMutants } from './plants/idempotency.ts'
import { intentMutants } from './plants/intents.ts'
import { moneyMutants } from './plants/money.ts'
import { storeMutants } from './plants/store.ts'
import { trustMutants } from './plants/trust.ts'

/** All planted bugs. */
export const mutants: readonly Mutant[] = [
  ...idempotencyMutants,
  ...intentMutants,
  ...moneyMutants,
  ...deliveryMutants,
  ...storeMutants,
  ...trustMutants,
]
