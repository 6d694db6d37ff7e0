/**
 * Options of a test whose telephones talk in real time and are not asked again. It is tried three times: a machine that is
 * busy with other tests loses words, as a bad line does.
 */
export const inRealTime = (timeout: number) => ({ timeout, retry: 2 })
