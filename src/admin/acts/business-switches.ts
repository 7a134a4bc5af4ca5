import type { Act } from '../../audit/audit-event.ts'
import type { BusinessLimits } from '../../businesses/business.ts'
import type { BusinessChange } from '../../businesses/change-business.ts'
import type { Effects } from './effects.ts'

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

/** A limit that can be set for one business, as it is shown on the staff pages and on the command line. */
export interface LimitInfo {
  label: string
  description: string
  min: number
  max: number
}

const daily = (label: string, what: string, max: number): LimitInfo => ({
  label,
  description: `${what} per UTC day; 0 means no limit`,
  min: 0,
  max,
})

export const limitInfos: Record<keyof BusinessLimits, LimitInfo> = {
  perSecond: {
    label: 'Requests per second',
    description: 'requests per second with each API key',
    min: 1,
    max: 1_000_000,
  },
  liveCodes: {
    label: 'Live payment codes',
    description: 'live payment codes in use at once',
    min: 1,
    max: 1_000_000,
  },
  sandboxIntentsPerDay: daily(
    'Created in the sandbox per day',
    'intents, orders and products created with test keys',
    1_000_000_000,
  ),
  liveDocumentsPerDay: daily('Live documents per day', 'documents stored with live keys', 1_000_000_000_000),
  liveBytesPerDay: daily('Live bytes per day', 'bytes stored with live keys', 1_000_000_000_000_000),
  sandboxBytesPerDay: daily('Sandbox bytes per day', 'bytes stored with test keys', 1_000_000_000_000_000),
}
