import type { Act } from '../audit/acts.ts'
import type { ApiKey } from '../businesses/api-key.ts'
import type { BusinessLimits } from '../businesses/business.ts'
import type { BusinessChange } from '../businesses/change-business.ts'

/**
 * The consequences of an act, in sentences. The staff pages show them before the act is confirmed, and the command
 * line shows them in its help. At least one of `closes`, `opens` and `changes` is given.
 */
export interface Effects {
  closes?: string
  opens?: string
  changes?: string
  staysOpen?: string
  /** The name of the act that reverses this one. If there is none, `undoNote` explains why. */
  undo?: string
  undoNote?: string
}

/** The names of the parts of `Effects`, in the order in which they are shown. */
const effectNames = { closes: 'Closes', opens: 'Opens', changes: 'Changes', staysOpen: 'Stays open' } as const

/** Returns the consequences, each with its name. */
export const namedEffects = (effects: Effects): [name: string, sentence: string][] =>
  Object.entries(effectNames).flatMap(([part, name]) => {
    const sentence = effects[part as keyof typeof effectNames]
    return sentence === undefined ? [] : [[name, sentence]]
  })

/** A change of one setting of a business, which staff make on a page and operators on the command line. */
export interface BusinessSwitch {
  description: string
  label: string
  title: string
  /** The state after the act, to complete the sentence "The business is …". */
  state: string
  effects: Effects
  /** The name of the change in the audit trail. */
  act: Act
  change: Pick<BusinessChange, 'liveApproved' | 'apiEnabled' | 'suspended'>
}

export const businessSwitches = {
  approve: {
    description: 'approve a business for live mode',
    label: 'Approve for live mode',
    title: 'Grant live approval to business',
    state: 'approved for live mode',
    effects: {
      opens: 'live keys. Test keys work without approval.',
      undo: 'unapprove',
    },
    act: 'business.approved',
    change: { liveApproved: true },
  },
  unapprove: {
    description: 'withdraw the approval for live mode; the sandbox stays open',
    label: 'Withdraw live approval',
    title: 'Withdraw the live approval of business',
    state: 'not approved for live mode',
    effects: {
      closes:
        'live keys (403 LIVE_ACCESS_NOT_APPROVED), so the business can create no live payment intents and make no live refunds.',
      staysOpen:
        'test keys and the sandbox, webhooks, and the pages of existing live payment intents, which customers can still pay. To close these pages too, suspend the business. To cancel live payment intents that are not paid, an operator can use the command "intents cancel".',
      undo: 'approve',
    },
    act: 'business.unapproved',
    change: { liveApproved: false },
  },
  disable: {
    description: 'close the developer API of a business; its payment pages stay open',
    label: 'Disable developer API',
    title: 'Disable the developer API of business',
    state: 'not able to use the developer API',
    effects: {
      closes: 'the developer API, with live and test keys (503 FEATURE_DISABLED).',
      staysOpen: 'payment pages, payments by link and by code, and webhooks.',
      undo: 'enable',
    },
    act: 'business.disabled',
    change: { apiEnabled: false },
  },
  enable: {
    description: 'open the developer API of a business again',
    label: 'Enable developer API',
    title: 'Enable the developer API of business',
    state: 'able to use the developer API, unless it is suspended',
    effects: {
      opens:
        'the developer API. Live keys also need the approval for live mode. A suspended business stays closed until it is resumed.',
      undo: 'disable',
    },
    act: 'business.enabled',
    change: { apiEnabled: true },
  },
  suspend: {
    description: 'close the developer API, the payment pages and all payments of a business',
    label: 'Suspend',
    title: 'Suspend business',
    state: 'suspended',
    effects: {
      closes:
        'the developer API, with live and test keys (503 FEATURE_DISABLED), the pages of unpaid payment intents, and all new payments, live and test. Refunds are made through the developer API, so they are not possible either.',
      staysOpen:
        'payments that a wallet is already processing are completed and recorded. Customers can still open the pages of payments they made. Payment intents expire on time. Webhooks are still delivered.',
      undo: 'resume',
    },
    act: 'business.suspended',
    change: { suspended: true },
  },
  resume: {
    description: 'end the suspension of a business',
    label: 'Resume',
    title: 'Resume business',
    state: 'not suspended',
    effects: {
      opens:
        'everything that the suspension closed. Customers can pay PENDING payment intents again. If the developer API is disabled, it stays closed until it is enabled.',
      undo: 'suspend',
    },
    act: 'business.resumed',
    change: { suspended: false },
  },
} as const satisfies Record<string, BusinessSwitch>

/** Returns a limit that can be set for one business, as it is shown on the staff pages and on the command line. */
const limit = (label: string, description: string, min: number, max: number) => ({ label, description, min, max })
export type LimitInfo = ReturnType<typeof limit>

const daily = (label: string, what: string, max: number): LimitInfo =>
  limit(label, `${what} per UTC day; 0 means no limit`, 0, max)

export const limitInfos: Record<keyof BusinessLimits, LimitInfo> = {
  perSecond: limit('Requests per second', 'requests per second with each API key', 1, 1_000_000),
  liveCodes: limit('Live payment codes', 'live payment codes in use at once', 1, 1_000_000),
  sandboxIntentsPerDay: daily(
    'Created in the sandbox per day',
    'intents, orders and products created with test keys',
    1_000_000_000,
  ),
  liveDocumentsPerDay: daily('Live documents per day', 'documents stored with live keys', 1_000_000_000_000),
  liveBytesPerDay: daily('Live bytes per day', 'bytes stored with live keys', 1_000_000_000_000_000),
  sandboxBytesPerDay: daily('Sandbox bytes per day', 'bytes stored with test keys', 1_000_000_000_000_000),
}

/** A change of a key's status, which staff make on a page and operators on the command line. */
export interface KeySwitch {
  description: string
  label: string
  effects: Effects
  status: ApiKey['status']
}

const staysOpen =
  "the business's other keys, its payment pages and its webhooks. Requests that have already begun are completed."

export const keySwitches = {
  suspend: {
    description: 'refuse a key until it is resumed',
    label: 'Suspend',
    effects: {
      closes: 'all requests with this key, also with an earlier secret (403 API_ACCESS_NOT_ACTIVE).',
      staysOpen,
      undo: 'resume',
    },
    status: 'suspended',
  },
  resume: {
    description: 'accept a suspended key again',
    label: 'Resume',
    effects: { opens: 'requests with this key.', undo: 'suspend' },
    status: 'active',
  },
  revoke: {
    description: 'refuse a key permanently',
    label: 'Revoke',
    effects: {
      closes: 'all requests with this key, also with an earlier secret, permanently (403 API_ACCESS_NOT_ACTIVE).',
      staysOpen,
      undoNote: 'a revoked key cannot be resumed. An operator can create a new key with the command "key create".',
    },
    status: 'revoked',
  },
} as const satisfies Record<string, KeySwitch>
