/** A setting that cannot be used: its message is one sentence for whoever runs the service, and holds no secret. */
export class SettingError extends Error {
  override readonly name = 'SettingError';

  constructor(
    readonly variable: string,
    sentence: string,
  ) {
    super(sentence);
  }
}
