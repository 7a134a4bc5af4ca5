import { html } from 'ghtml'
import type { Business, BusinessLimits } from '../../businesses/business.ts'
import { changeBusiness } from '../../businesses/change-business.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import { groupDigits } from '../pages/words.ts'
import { type BusinessSwitch, businessSwitches, type LimitInfo, limitInfos } from './business-switches.ts'
import type { ActField, ActGroup, Faults, StaffAct, Values } from './staff-act.ts'

interface SwitchWords {
  label: string
  title: string
  /** The state after the act, to complete the sentence "The business is …". */
  state: string
  isDanger: boolean
}

const words: Record<keyof typeof businessSwitches, SwitchWords> = {
  approve: {
    label: 'Approve for live mode',
    title: 'Grant live approval to business',
    state: 'approved for live mode',
    isDanger: false,
  },
  enable: {
    label: 'Enable developer API',
    title: 'Enable the developer API of business',
    state: 'able to use the developer API, unless it is suspended',
    isDanger: false,
  },
  resume: { label: 'Resume', title: 'Resume business', state: 'not suspended', isDanger: false },
  unapprove: {
    label: 'Withdraw live approval',
    title: 'Withdraw the live approval of business',
    state: 'not approved for live mode',
    isDanger: true,
  },
  disable: {
    label: 'Disable developer API',
    title: 'Disable the developer API of business',
    state: 'not able to use the developer API',
    isDanger: true,
  },
  suspend: { label: 'Suspend', title: 'Suspend business', state: 'suspended', isDanger: true },
}

const switchAct = (
  { effects, act, change }: BusinessSwitch,
  { label, title, state, isDanger }: SwitchWords,
): StaffAct<Business> => {
  const isDone = (business: Business): boolean =>
    Object.entries(change).every(([field, value]) => business[field as keyof typeof change] === value)
  return {
    permission: 'change-businesses',
    label,
    title,
    isDanger,
    effects,
    obstacle: (business) => (isDone(business) ? `Nothing to do: the business is ${state}.` : null),
    async run(deps, { _id }, by) {
      await changeBusiness(deps, _id, change, { ...by, act })
      return { result: 'done' }
    },
    done: `Done: the business is ${state}.`,
    isDone,
  }
}

type LimitName = keyof BusinessLimits
const limitNames = Object.keys(limitInfos) as LimitName[]

const limitField = (name: LimitName, { label, description, min, max }: LimitInfo): ActField<Business> => ({
  label,
  hint: `From ${groupDigits(min)} to ${groupDigits(max)}: ${description}. Leave it empty to use the limit of the service.`,
  current: ({ limits }) => limits[name]?.toString() ?? '',
})

/** Returns whether a value is wrong. */
function limitFault(value: string, { min, max }: LimitInfo): boolean {
  const text = value.trim()
  return text !== '' && (!/^\d{1,12}$/.test(text) || Number(text) < min || Number(text) > max)
}

const limitFaults = (values: Values): Faults =>
  Object.fromEntries(
    limitNames
      .filter((name) => limitFault(values[name] ?? '', limitInfos[name]))
      .map((name) => {
        const { min, max } = limitInfos[name]
        return [name, `Enter a whole number from ${groupDigits(min)} to ${groupDigits(max)}, or nothing.`]
      }),
  )

const trimmed = (values: Values, name: string): string => (values[name] ?? '').trim()

const limitsAct: StaffAct<Business> = {
  permission: 'change-businesses',
  label: 'Set limits',
  title: 'Set the limits of business',
  isDanger: false,
  effects: {
    changes:
      'how much this business may use. The new limits apply to the next requests. A lower limit removes nothing that already exists.',
    undo: 'limits',
  },
  fields: Object.fromEntries(limitNames.map((name) => [name, limitField(name, limitInfos[name])])),
  obstacle: () => null,
  faults: limitFaults,
  async run(deps, { _id }, by, values) {
    const read = (name: LimitName) => (trimmed(values, name) === '' ? null : Number(trimmed(values, name)))
    const limits = Object.fromEntries(limitNames.map((name) => [name, read(name)]))
    await changeBusiness(deps, _id, { limits }, { ...by, act: 'business.limited' })
    return { result: 'done' }
  },
  done: 'The limits are set.',
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no')

/** The acts on a business. They are shown in this order. */
export const businessActs: ActGroup<Business> = {
  path: '/businesses/:id',
  find: lookUpBusiness,
  nameOf: ({ name }) => name,
  facts: ({ _id, liveApproved, apiEnabled, suspended }) =>
    html`<dt>Id</dt><dd class="id">${_id}</dd>
    <dt>Approved for live mode</dt><dd>${yesNo(liveApproved)}</dd>
    <dt>Developer API</dt><dd>${apiEnabled ? 'enabled' : 'disabled'}</dd>
    <dt>Suspended</dt><dd>${yesNo(suspended)}</dd>`,
  acts: {
    ...Object.fromEntries(
      Object.entries(words).map(([name, each]) => [
        name,
        switchAct(businessSwitches[name as keyof typeof businessSwitches], each),
      ]),
    ),
    limits: limitsAct,
  },
}
