export function groupsOf<Member, Key>(members: Iterable<Member>, keyOf: (member: Member) => Key) {
  const groups = new Map<Key, Member[]>()
  for (const member of members) {
    const key = keyOf(member)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [member])
    else group.push(member)
  }
  return groups
}

export const repeatedOf = <Member, Key>(members: Iterable<Member>, keyOf: (member: Member) => Key) =>
  [...groupsOf(members, keyOf).values()].flatMap(([, ...again]) => again)

export const sumOf = <Member>(members: Iterable<Member>, amountOf: (member: Member) => number): number => {
  let sum = 0
  for (const member of members) sum += amountOf(member)
  return sum
}
