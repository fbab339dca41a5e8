// The frame of the screens that are seen before signing in.
import type { ComponentChildren } from 'preact';
import { useTitle } from './title.js';

export const Door = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => {
  useTitle(title);
  return (
    <div class="door">
      <div class="door-box">
        <p class="brand">Longbox</p>
        <h1>{title}</h1>
        {children}
      </div>
    </div>
  );
};
