type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

export const omitUndefined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
