export const groupsOf = <Member, Key>(members: Iterable<Member>, keyOf: (member: Member) => Key) =>
  Map.groupBy(members, keyOf)

export const repeatedOf = <Member, Key>(members: Iterable<Member>, keyOf: (member: Member) => Key) =>
  [...groupsOf(members, keyOf).values()].flatMap(([, ...again]) => again)

export const sumOf = <Member>(members: Iterable<Member>, amountOf: (member: Member) => number) =>
  [...members].reduce((sum, member) => sum + amountOf(member), 0)
