import type { AuditAction } from '../audit/acts.ts'
import type { Business, BusinessLimits } from '../businesses/business.ts'
import type { BusinessChange } from '../businesses/change-business.ts'
import type { Author } from '../security/actor.ts'
import type { ActionDeps, ActionField, ActionGroup, FormValues, StaffAction } from './act.ts'
import { businessDisplay } from './shown.ts'

async function change(
  deps: ActionDeps,
  { _id }: Business,
  wanted: BusinessChange,
  by: Author & { act: AuditAction },
) {
  const { changeBusiness } = await import('../businesses/change-business.ts')
  return changeBusiness(deps, _id, wanted, by)
}

interface Switch extends Pick<StaffAction<Business>, 'label' | 'title' | 'description' | 'effects'> {
  audit: AuditAction
  /** Completes the sentence "The business is …". */
  state: string
  change: Pick<BusinessChange, 'liveApproved' | 'apiEnabled' | 'suspended'>
}

const switchTo = ({ state, change: wanted, ...entry }: Switch): StaffAction<Business> => ({
  ...entry,
  isDanger: entry.effects.closes !== undefined,
  run: async (deps, business, by) =>
    (await change(deps, business, wanted, { ...by, act: entry.audit })) && {
      done: { id: business._id, ...wanted },
    },
  done: `Done: the business is ${state}.`,
  isDone: (business) =>
    Object.entries(wanted).every(([field, value]) => business[field as keyof typeof wanted] === value),
  already: `the business is ${state}`,
})

const limitRows: Record<keyof BusinessLimits, [label: string, what: string, max: number]> = {
  perSecond: ['Requests per second', 'requests per second with each API key', 1e6],
  liveCodes: ['Live payment codes', 'live payment codes in use at once', 1e6],
  sandboxIntentsPerDay: ['Created in the sandbox per day', 'test intents, orders and products', 1e9],
  liveDocumentsPerDay: ['Live documents per day', 'documents stored with live keys', 1e12],
  liveBytesPerDay: ['Live bytes per day', 'bytes stored with live keys', 1e15],
  sandboxBytesPerDay: ['Sandbox bytes per day', 'bytes stored with test keys', 1e15],
}
const limits = Object.entries(limitRows).map(([key, [label, what, max]]) => {
  const isDaily = key.endsWith('PerDay')
  const min = isDaily ? 0 : 1
  const description = isDaily ? `${what} per UTC day; 0 means no limit` : what
  const range = `${min.toLocaleString('en')} to ${max.toLocaleString('en')}`
  return { name: key as keyof BusinessLimits, label, min, max, description, range }
})
type LimitInfo = (typeof limits)[number]

const limitField = ({ name, label, description, range }: LimitInfo): ActionField<Business> => ({
  label,
  option: description,
  emptyWord: 'default',
  hint: `From ${range}: ${description}. Leave this blank to use the service's default.`,
  current: (business) => business.limits[name]?.toString() ?? '',
})

/** Null means the service's default limit, and undefined means invalid text. */
function readLimit(values: FormValues, { name, min, max }: LimitInfo): number | null | undefined {
  const text = values[name]?.trim() ?? ''
  if (text === '') return null
  const number = Number(text)
  return /^\d{1,16}$/.test(text) && number >= min && number <= max ? number : undefined
}

export const formatLimits = (own: BusinessLimits): Record<string, number | 'default'> =>
  Object.fromEntries(Object.entries(own).map(([name, number]) => [name, number ?? 'default']))

export const businessActions: ActionGroup<Business> = {
  noun: 'business',
  path: '/businesses/:id',
  permission: 'change-businesses',
  find: async (deps, id) => (await import('../businesses/list-businesses.ts')).lookUpBusiness(deps, id),
  nameOf: ({ name }) => name,
  facts: [
    { label: 'Id', unit: 'id', value: ({ _id }) => _id },
    businessDisplay.liveMode,
    businessDisplay.api,
    businessDisplay.paymentPages,
  ],
  acts: {
    approve: switchTo({
      label: 'Approve for live mode',
      title: 'Grant live approval to business',
      description: 'approve a business for live mode',
      state: 'approved for live mode',
      effects: { opens: 'live keys. Test keys work without approval.', undo: 'unapprove' },
      audit: 'business.approved',
      change: { liveApproved: true },
    }),
    unapprove: switchTo({
      label: 'Withdraw live approval',
      title: 'Withdraw live approval from business',
      description: 'withdraw the approval for live mode; the sandbox stays open',
      state: 'not approved for live mode',
      effects: {
        closes:
          'live keys (403 LIVE_ACCESS_NOT_APPROVED), so the business cannot create live payment intents or make live refunds.',
        staysOpen:
          'test keys and the sandbox, webhooks, and the pages of existing live payment intents, which customers can still pay. To close these pages too, suspend the business. The command "intents cancel" cancels unpaid live payment intents.',
        undo: 'approve',
      },
      audit: 'business.unapproved',
      change: { liveApproved: false },
    }),
    disable: switchTo({
      label: 'Disable developer API',
      title: 'Disable the developer API for business',
      description: 'block the developer API for a business; its payment pages stay open',
      state: 'unable to use the developer API',
      effects: {
        closes: 'the developer API, with live and test keys (503 FEATURE_DISABLED).',
        staysOpen: 'payment pages, payments by link and by code, and webhooks.',
        undo: 'enable',
      },
      audit: 'business.disabled',
      change: { apiEnabled: false },
    }),
    enable: switchTo({
      label: 'Enable developer API',
      title: 'Enable the developer API for business',
      description: 'reopen the developer API for a business',
      state: 'able to use the developer API, unless it is suspended',
      effects: {
        opens:
          'the developer API. Live keys also need approval for live mode. A suspended business stays closed until it is resumed.',
        undo: 'disable',
      },
      audit: 'business.enabled',
      change: { apiEnabled: true },
    }),
    suspend: switchTo({
      label: 'Suspend',
      title: 'Suspend business',
      description: 'block the developer API, payment pages and all payments for a business',
      state: 'suspended',
      effects: {
        closes:
          'the developer API, with live and test keys (503 FEATURE_DISABLED), the pages of unpaid payment intents, and all new payments, live and test. Refunds are made through the developer API, so they are not possible either.',
        staysOpen:
          'payments that a wallet is already processing are completed and recorded. Customers can still open the pages of payments they made. Payment intents expire on time. Webhooks are still delivered.',
        undo: 'resume',
      },
      audit: 'business.suspended',
      change: { suspended: true },
    }),
    resume: switchTo({
      label: 'Resume',
      title: 'Resume business',
      description: 'end the suspension of a business',
      state: 'not suspended',
      effects: {
        opens:
          'everything that the suspension closed. Customers can pay PENDING payment intents again. If the developer API is disabled, it stays closed until it is enabled.',
        undo: 'suspend',
      },
      audit: 'business.resumed',
      change: { suspended: false },
    }),
    limits: {
      label: 'Set limits',
      title: 'Set limits for business',
      description: "set limits for one business; 'default' restores the service's limit",
      command: 'limit',
      effects: {
        changes:
          'how much this business may use. The new limits apply from the next request. A lower limit does not affect what already exists.',
        undo: 'limits',
      },
      audit: 'business.limited',
      fields: Object.fromEntries(limits.map((info) => [info.name, limitField(info)])),
      faults: (values) =>
        Object.fromEntries(
          limits
            .filter((info) => readLimit(values, info) === undefined)
            .map(({ name, range }) => [name, `Enter a whole number from ${range}.`]),
        ),
      async run(deps, business, by, values) {
        const chosen = limits
          .map((info) => [info.name, readLimit(values, info)] as const)
          .filter(([name, number]) => number !== business.limits[name])
        const wanted = { limits: Object.fromEntries(chosen) }
        const changed = await change(deps, business, wanted, { ...by, act: 'business.limited' })
        return changed && { done: { id: business._id, limits: formatLimits(changed.limits) } }
      },
      done: 'The limits are set.',
    },
  },
}
