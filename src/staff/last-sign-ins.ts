import type { Deps } from '../deps.ts'

/**
 * Returns the time of each account's last sign-in, by name. An account that has not signed in for 30 days is missing,
 * because its sessions are removed (session.ts).
 */
export async function lastSignIns(
  deps: Pick<Deps, 'StaffSession'>,
  names: readonly string[],
): Promise<Map<string, Date>> {
  const found = await deps.StaffSession.aggregate<{ _id: string; at: Date }>([
    { $match: { staffName: { $in: names }, isPending: false } },
    { $group: { _id: '$staffName', at: { $max: '$createdAt' } } },
  ]).exec()
  return new Map(found.map(({ _id, at }) => [_id, at]))
}
