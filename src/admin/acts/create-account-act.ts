import { isStaffName, type Role, roles } from '../../staff/account-fields.ts'
import { createAccountWithLink } from '../../staff/create-account.ts'
import { linkNotice } from './link-notice.ts'
import type { ActGroup, StaffAct, Values } from './staff-act.ts'

const nameIn = ({ name = '' }: Values): string => name.trim().toLowerCase()
const roleIn = ({ role }: Values): Role | undefined => roles.find((each) => each === role)

const create: StaffAct<object> = {
  permission: 'change-staff',
  label: 'Create account',
  title: 'Create a staff account',
  isDanger: false,
  effects: {
    opens:
      'a new account, which has no password yet. With a link that is shown once, its owner can set a password within 24 hours.',
    undo: null,
    undoNote: 'an account cannot be deleted, but it can be disabled.',
  },
  fields: {
    name: {
      label: 'Name',
      hint: '1 to 64 characters: a-z, 0-9 and . _ @ -, beginning with a letter or a digit. Create a separate account for each person.',
      current: () => '',
    },
    role: {
      label: 'Role',
      hint: 'A viewer may only view pages. Support may also re-queue deliveries and export the audit trail. An admin may also change keys, businesses and staff accounts.',
      choices: roles,
      current: () => 'viewer',
    },
  },
  obstacle: () => null,
  faults: (values) => ({
    ...(isStaffName(nameIn(values))
      ? {}
      : { name: 'Enter 1 to 64 of these characters: a-z, 0-9 and . _ @ -. Begin with a letter or a digit.' }),
    ...(roleIn(values) === undefined ? { role: `Choose ${roles.join(', ')}.` } : {}),
  }),
  async run(deps, _found, by, values) {
    const [name, role] = [nameIn(values), roleIn(values)]
    if (role === undefined) return { result: 'refused' }
    const created = await createAccountWithLink(deps, { name, role }, by)
    return created === null
      ? { result: 'invalid', faults: { name: 'There is already an account with this name.' } }
      : { result: 'shown', body: linkNotice(name, created.link) }
  },
  done: '',
}

/** The act on the list of staff accounts. */
export const staffListActs: ActGroup<object> = {
  path: '/staff',
  find: async () => ({}),
  nameOf: () => '',
  facts: () => '',
  acts: { create },
}
