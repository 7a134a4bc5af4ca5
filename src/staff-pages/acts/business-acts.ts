import { html } from 'ghtml'
import type { Business, BusinessLimits } from '../../businesses/business.ts'
import { changeBusiness } from '../../businesses/change-business.ts'
import { lookUpBusiness } from '../../businesses/list-businesses.ts'
import { type BusinessSwitch, businessSwitches, type LimitInfo, limitInfos } from '../../staff-acts/switches.ts'
import { groupDigits } from '../words.ts'
import type { ActField, ActGroup, StaffAct } from './staff-act.ts'

const switchAct = ({ label, title, state, effects, act, change }: BusinessSwitch): StaffAct<Business> => ({
  label,
  title,
  isDanger: effects.closes !== undefined,
  effects,
  run: async (deps, { _id }, by) => (await changeBusiness(deps, _id, change, { ...by, act })) !== null,
  done: `Done: the business is ${state}.`,
  isDone: (business) =>
    Object.entries(change).every(([field, value]) => business[field as keyof typeof change] === value),
  already: `the business is ${state}`,
})

type LimitName = keyof BusinessLimits
const limits = Object.entries(limitInfos) as [LimitName, LimitInfo][]

const limitField = (name: LimitName, { label, description, min, max }: LimitInfo): ActField<Business> => ({
  label,
  hint: `From ${groupDigits(min)} to ${groupDigits(max)}: ${description}. Leave it empty to use the limit of the service.`,
  current: (business) => business.limits[name]?.toString() ?? '',
})

/** Returns a limit, null for the limit of the service, or undefined if the text is wrong. */
function readLimit(text: string, { min, max }: LimitInfo): number | null | undefined {
  if (text.trim() === '') return null
  const limit = Number(text)
  return /^\d{1,12}$/.test(text.trim()) && limit >= min && limit <= max ? limit : undefined
}

const limitsAct: StaffAct<Business> = {
  label: 'Set limits',
  title: 'Set the limits of business',
  effects: {
    changes:
      'how much this business may use. The new limits apply to the next requests. A lower limit removes nothing that already exists.',
    undo: 'limits',
  },
  fields: Object.fromEntries(limits.map(([name, info]) => [name, limitField(name, info)])),
  faults: (values) =>
    Object.fromEntries(
      limits
        .filter(([name, info]) => readLimit(values[name] ?? '', info) === undefined)
        .map(([name, { min, max }]) => [
          name,
          `Enter a whole number from ${groupDigits(min)} to ${groupDigits(max)}, or nothing.`,
        ]),
    ),
  async run(deps, { _id }, by, values) {
    const chosen = limits.map(([name, info]) => [name, readLimit(values[name] ?? '', info)])
    await changeBusiness(deps, _id, { limits: Object.fromEntries(chosen) }, { ...by, act: 'business.limited' })
    return true
  },
  done: 'The limits are set.',
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no')

/** The acts on a business. */
export const businessActs: ActGroup<Business> = {
  path: '/businesses/:id',
  permission: 'change-businesses',
  find: lookUpBusiness,
  nameOf: ({ name }) => name,
  facts: ({ _id, liveApproved, apiEnabled, suspended }) =>
    html`<dt>Id</dt><dd class="id">${_id}</dd>
    <dt>Approved for live mode</dt><dd>${yesNo(liveApproved)}</dd>
    <dt>Developer API</dt><dd>${apiEnabled ? 'enabled' : 'disabled'}</dd>
    <dt>Suspended</dt><dd>${yesNo(suspended)}</dd>`,
  acts: {
    ...Object.fromEntries(Object.entries(businessSwitches).map(([name, each]) => [name, switchAct(each)])),
    limits: limitsAct,
  },
}
