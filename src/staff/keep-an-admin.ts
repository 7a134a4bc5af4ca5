import type { Deps } from '../deps.ts'

/**
 * Makes a change that disables an admin or changes the role of one, unless no other enabled admin would be left.
 * Returns false if the change was not made or was undone.
 *
 * The other admins are read again after the change, because two admins may disable each other at the same time. At
 * least the later of the two changes then finds no other admin, and is undone. Both may be undone. If the process is
 * killed between the change and its undoing, no admin may be left. An operator can then enable an account on the
 * command line.
 */
export async function keepAnAdmin(
  deps: Pick<Deps, 'Staff'>,
  name: string,
  { change, undo }: { change(): Promise<unknown>; undo(): Promise<unknown> },
): Promise<boolean> {
  const hasOther = () => deps.Staff.exists({ _id: { $ne: name }, role: 'admin', disabledAt: null })
  if ((await hasOther()) === null) return false
  await change()
  if ((await hasOther()) !== null) return true
  await undo()
  return false
}
