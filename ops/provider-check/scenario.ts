import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import type { FromSchema } from 'json-schema-to-ts'
import { declineReasons, failureReasons } from '../../schemas/payment-reasons.ts'

const wallet = {
  type: 'object',
  additionalProperties: false,
  required: ['phone', 'pin'],
  properties: {
    phone: { type: 'string', pattern: '^\\d{8,15}$' },
    pin: { type: 'string', pattern: '^\\d{4,6}$' },
    amount: { type: 'integer', minimum: 10 },
  },
} as const

/** What a payment from a wallet of the scenario leads to. */
export const paymentNames = [
  'succeeded',
  ...declineReasons,
  ...failureReasons,
  'wrong_pin',
  'unknown_wallet',
  'wallet_locked',
  'lockable',
  'pending_then_succeeded',
  'pending_then_failed',
  'slow',
] as const
export type PaymentName = (typeof paymentNames)[number]
export type ScenarioWallet = FromSchema<typeof wallet>

const scenarioSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['payments'],
  properties: {
    amount: { type: 'integer', minimum: 10, default: 1_000 },
    fee: { type: 'integer', minimum: 0, default: 10 },
    timeoutSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 60, default: 10 },
    settleSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 3_600, default: 120 },
    refunds: { type: 'boolean', default: true },
    balance: { type: 'string', minLength: 1 },
    payments: {
      type: 'object',
      additionalProperties: false,
      required: ['succeeded'],
      properties: Object.fromEntries(paymentNames.map((name) => [name, wallet])),
    },
  },
} as const

export interface Scenario {
  amount: number
  fee: number
  timeoutSeconds: number
  settleSeconds: number
  refunds: boolean
  /** A shell command that prints the balance of the wallet `$PHONE`, in centimes. */
  balance?: string
  payments: Partial<Record<PaymentName, ScenarioWallet>> & { succeeded: ScenarioWallet }
}

const validate = new Ajv({ useDefaults: true, allErrors: true }).compile<Scenario>(scenarioSchema)

export function parseScenario(text: string): Scenario {
  const scenario: unknown = JSON.parse(text)
  if (validate(scenario)) return scenario
  const faults = (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
    const name = 'additionalProperty' in params ? ` "${params.additionalProperty}"` : ''
    return `  ${instancePath || '/'} ${message}${name}`
  })
  throw new Error(`The scenario is not valid:\n${faults.join('\n')}`)
}

export function readScenario(path: string): Scenario {
  try {
    return parseScenario(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error })
  }
}
